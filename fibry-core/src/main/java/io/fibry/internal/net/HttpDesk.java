package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;

/**
 * Serves the requests of engines that are no {@code HttpServer} of the JDK. Their requests are checked,
 * limited, routed and answered as those of the JDK's server are. Such an engine listens and stops by itself.
 */
public final class HttpDesk implements Executor {
    private final HttpTraffic traffic;
    private final HttpFront front;

    /**
     * Makes a desk.
     *
     * @param builder the builder whose strategy handlers run on
     * @param crew the scope of the requests' actors
     * @param options the limits
     * @param routes the routes that answer
     */
    public HttpDesk(ServerBuilder builder, ActorScope crew, HttpOptions options, HttpRoutes routes) {
        traffic = new HttpTraffic(crew.anonymous(), builder.time(), options);
        var place = new HttpPlace(builder.runsInPlaceOnFibers() ? null : crew.anonymous());
        front = new HttpFront(traffic, new HttpChecks(options, true), HttpService.of(routes, place), place,
                builder.time().nanoTime());
    }

    /** Runs a piece of an engine's work inside an actor on a fiber. The work may hand in a request. */
    @Override
    public void execute(Runnable work) {
        traffic.execute(work);
    }

    /**
     * Runs a piece of an engine's work on the calling fiber. The work may hand in requests.
     *
     * @param work the piece of work
     * @param cut closes the client's connection; called if it does not read
     */
    public void run(Runnable work, Runnable cut) {
        traffic.run(work, cut);
    }

    /**
     * Answers a request.
     *
     * @param exchange the request
     * @throws UncheckedIOException if the answer breaks off
     */
    public void serve(HttpExchange exchange) {
        try {
            front.handle(exchange);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Counts a request that the engine has refused itself. */
    public void countRefused() {
        traffic.count(HttpTraffic.Fate.REFUSED);
    }

    /**
     * Returns whether the caller is a handler.
     *
     * @return whether the caller is a handler of one of the requests
     */
    public boolean isInside() {
        return traffic.isInside();
    }

    /**
     * Returns the counters of the requests.
     *
     * @return those that were answered, those that failed, and those that no handler has seen
     */
    public Counters counters() {
        return traffic.counters();
    }

    /** Begins to cut off clients that do not read. */
    public void open() {
        traffic.startSweeping();
    }

    /** Answers 503 from now on. */
    public void refuse() {
        traffic.refuse();
    }

    /** Ends the search for clients to cut off. */
    public void close() {
        traffic.stopSweeping();
    }
}
