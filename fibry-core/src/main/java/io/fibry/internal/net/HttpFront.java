package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.fibry.internal.actor.Current;
import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HttpTraffic.Fate;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The handler of every request. An exception that leaves {@link #handle} makes the engine close the connection. This
 * happens if an answer has begun and cannot be finished.
 */
final class HttpFront implements HttpHandler {
    private static final Logger LOG = Logs.of("io.fibry.net.http");
    private static final int BASE = 36;

    private final HttpTraffic traffic;
    private final HttpChecks checks;
    private final HttpService service;
    private final HttpPlace place;
    private final String idPrefix;
    private final AtomicLong failures = new AtomicLong();

    HttpFront(HttpTraffic traffic, HttpChecks checks, HttpService service, HttpPlace place, long startNanos) {
        this.traffic = traffic;
        this.checks = checks;
        this.service = service;
        this.place = place;
        idPrefix = Long.toString(startNanos & Integer.MAX_VALUE, BASE) + "-";
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        var work = traffic.work();
        work.readsSince(0, work.piece()); // its head is there
        var reply = new HttpReply(exchange, traffic, work, place);
        if (!traffic.begin(work)) {
            traffic.count(Fate.REFUSED);
            reply.refuse(503, traffic.isStopping() ? "the server is being stopped" : "too many requests");
            return;
        }
        var fate = Fate.FAILED;
        try {
            fate = serve(exchange, reply, work);
        } finally {
            traffic.count(fate);
            traffic.end(work);
        }
    }

    private Fate serve(HttpExchange exchange, HttpReply reply, HttpWork work) throws IOException {
        HttpBodyLimit body;
        try {
            body = checks.check(exchange);
        } catch (HttpProblem refusal) {
            try {
                reply.refuse(refusal.status(), refusal.text());
            } catch (IOException clientLeft) {
                LOG.debug("a refusal was broken off", clientLeft);
                exchange.close();
            }
            return Fate.REFUSED;
        }
        if (body != null) {
            body.watchedBy(traffic, work);
        }
        try {
            service.serve(exchange, reply, work);
            return Fate.HANDLED;
        } catch (Throwable failure) {
            return fail(exchange, reply, body, failure, work.isCut());
        }
    }

    private Fate fail(HttpExchange exchange, HttpReply reply, @Nullable HttpBodyLimit body, Throwable failure,
            boolean cut) throws IOException {
        var stopped = (failure instanceof InterruptedException && (cut || traffic.isStopping()))
                || (cut && body != null && body.isBroken());
        if (!stopped && !reply.hasBegun() && body != null && body.isBroken()) {
            LOG.debug("{} {}: its content broke off", exchange.getRequestMethod(), path(exchange), failure);
            if (HttpChecks.isTooSlow(failure)) {
                reply.refuseWithoutReading(408, "the content has taken too long");
            } else {
                reply.refuseWithoutReading(400, "the content broke off, or is not well formed"); // if the client is still there
            }
            return Fate.FAILED;
        }
        var clientLeft = (body != null && body.isBroken()) || (reply.isBroken() && isOfConnection(failure));
        if (stopped || clientLeft || (reply.hasBegun() && failure instanceof IOException)) {
            LOG.debug("actor '{}': {} {} was broken off", Current.actor(), exchange.getRequestMethod(),
                    path(exchange), failure);
            throw new IOException("broken off", failure);
        }
        if (!reply.hasBegun() && failure instanceof HttpProblem problem) {
            LOG.debug("actor '{}': {} {} is answered with {}", Current.actor(), exchange.getRequestMethod(),
                    path(exchange), problem.status(), problem);
            reply.problem(problem.status(), problem.text());
            return Fate.HANDLED;
        }
        if (!reply.hasBegun() && HttpChecks.isTooLong(failure)) {
            reply.refuse(413, "the content is too long");
            return Fate.FAILED;
        }
        var id = idPrefix + failures.incrementAndGet();
        LOG.error("actor '{}': request {} failed: {} {}", Current.actor(), id, exchange.getRequestMethod(),
                path(exchange), failure);
        if (reply.hasBegun()) {
            throw new IOException("broken off, see " + id, failure);
        }
        reply.problem(500, "internal error " + id);
        return Fate.FAILED;
    }

    /** Returns whether an I/O error has caused a failure. Engines wrap such errors in exceptions of their own. */
    private static boolean isOfConnection(Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException) {
                return true;
            }
        }
        return false;
    }

    private static String path(HttpExchange exchange) {
        return String.valueOf(exchange.getRequestURI().getRawPath()); // without the query, which may be secret
    }
}
