package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.internal.scope.Builder;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;

/**
 * Where engines that are no {@code HttpServer} of the JDK hand their requests in, to be routed, checked, limited and
 * answered like any other. They listen and stop by themselves.
 */
public final class HttpDesk implements Executor {
    private final HttpTraffic traffic;
    private final HttpFront front;

    /**
     * Makes one.
     *
     * @param builder where handlers run
     * @param crew the scope of the requests' actors
     * @param options limits
     * @param routes what answers
     */
    public HttpDesk(Builder builder, ActorScope crew, HttpOptions options, HttpRoutes routes) {
        traffic = new HttpTraffic(crew.anonymous(), builder.time(), options);
        var place = new HttpPlace(builder.runsInPlaceOnFibers() ? null : crew.anonymous());
        front = new HttpFront(traffic, new HttpChecks(options, true), HttpService.of(routes, place), place,
                builder.time().nanoTime());
    }

    /** Runs a piece of an engine's work, which may hand in a request, inside an actor on a fiber. */
    @Override
    public void execute(Runnable work) {
        traffic.execute(work);
    }

    /**
     * Runs a piece of an engine's work, which may hand in requests, on the calling fiber.
     *
     * @param work what to do
     * @param cut closes the client's connection; called if it does not read
     */
    public void run(Runnable work, Runnable cut) {
        traffic.run(work, cut);
    }

    /**
     * Answers a request.
     *
     * @param exchange the request
     * @throws UncheckedIOException if its answer breaks off
     */
    public void serve(HttpExchange exchange) {
        try {
            front.handle(exchange);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Looks who is calling.
     *
     * @return whether the caller is a handler of one of the requests
     */
    public boolean isInside() {
        return traffic.isInside();
    }

    /**
     * What became of the requests.
     *
     * @return those that were answered, those that failed, and those that no handler has seen
     */
    public Counters counters() {
        return traffic.counters();
    }

    /** Cuts clients off, from now on, that do not read. */
    public void open() {
        traffic.startSweeping();
    }

    /** Answers 503 from now on. */
    public void refuse() {
        traffic.refuse();
    }

    /** Cuts nobody off any more. */
    public void close() {
        traffic.stopSweeping();
    }
}
