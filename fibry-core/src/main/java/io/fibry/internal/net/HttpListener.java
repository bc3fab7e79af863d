package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server. Its anchor is an actor in the user's scope: the end of the anchor is the end of the server, and
 * the end of the server is the end of the anchor.
 */
public final class HttpListener implements Server {
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final HttpServer engine;
    private final InetSocketAddress address;
    private final ActorScope crew;
    private final HttpTraffic traffic;
    private final Actor<Object, Void> anchor;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final CountDownLatch started = new CountDownLatch(1);
    /**
     * How long requests may take when the end of the anchor ends the server. Set by the thread that stops the
     * server from inside, before it sends the pill.
     */
    private volatile long anchorsDeadline = Long.MAX_VALUE;

    private HttpListener(ServerBuilder builder, HttpOptions options,
            Function<HttpPlace, HttpService> service) {
        engine = HttpEngine.bind(options);
        address = engine.getAddress();
        try {
            crew = builder.crew("http-" + address.getPort());
        } catch (Throwable notMade) {
            letGo();
            throw notMade;
        }
        try {
            traffic = new HttpTraffic(crew.anonymous(), builder.time(), options);
            if (HttpEngine.isOfJdk(engine)) {
                traffic.watchHeads();
            }
            var place = new HttpPlace(builder.runsInPlaceOnFibers() ? null : crew.anonymous());
            engine.setExecutor(traffic);
            engine.createContext("/",
                    new HttpFront(traffic, new HttpChecks(options, !HttpEngine.isOfJdk(engine)),
                            service.apply(place), place,
                            builder.time().nanoTime()));
            anchor = anchor(builder);
        } catch (Throwable notMade) {
            letGo();
            crew.close();
            throw notMade;
        }
    }

    /** Releases the engine of a server that could not be made. */
    private void letGo() {
        ended.set(true);
        engine.start(); // an engine that was never started does not release all it has
        engine.stop(0);
        started.countDown();
    }

    /**
     * Starts a server whose answers are texts.
     *
     * @param builder the scope of the server, and the strategy of its handlers
     * @param options the options of the server
     * @param handler the handler that answers
     * @return the server
     */
    public static Server start(ActorBuilder builder, HttpOptions options,
            ReplyHandler<HttpExchange, @Nullable String> handler) {
        Objects.requireNonNull(handler, "handler");
        return open(builder, options, place -> HttpService.of(handler, place));
    }

    /**
     * Starts a server with routes.
     *
     * @param builder the scope of the server, and the strategy of its handlers
     * @param options the options of the server
     * @param routes the routes that answer
     * @return the server
     */
    public static Server start(ActorBuilder builder, HttpOptions options, HttpRoutes routes) {
        Objects.requireNonNull(routes, "routes");
        return open(builder, options, place -> HttpService.of(routes, place));
    }

    private static Server open(ActorBuilder builder, HttpOptions options,
            Function<HttpPlace, HttpService> service) {
        Objects.requireNonNull(options, "options");
        Classes.load();
        var server = new HttpListener(ServerBuilder.of(builder), options, service);
        try {
            if (HttpEngine.isOfJdk(server.engine)) {
                server.traffic.keeps(new HttpReserve(server.crew.name()));
            }
            server.traffic.startSweeping();
            server.engine.start();
        } catch (Throwable noServer) {
            server.started.countDown();
            server.close();
            throw noServer;
        }
        server.started.countDown();
        return server;
    }

    /** Makes the anchor. When the hooks of the user's builder run the server has stopped. */
    private Actor<Object, Void> anchor(ServerBuilder builder) {
        return builder.bringingInWork(this::endWithScope)
                .strategy(Strategies.WAITERS)
                .newActor((Object message) -> {
                });
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public int connections() {
        return traffic.size();
    }

    @Override
    public StopReport stop(Duration deadline) {
        var nanos = Durations.nanos(deadline, "deadline");
        if (traffic.isInside()) {
            return stopFromInside(nanos);
        }
        var report = end(nanos);
        anchor.sendPoisonPill();
        anchor.waitForExit(GRACE);
        return report;
    }

    /** Waits for the other requests. The anchor ends the server when the caller's request is answered. */
    private StopReport stopFromInside(long nanos) {
        var drained = false;
        try {
            drained = traffic.drain(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        anchorsDeadline = nanos;
        anchor.sendPoisonPill();
        return new StopReport(crew.name(), false, !drained, List.of(), traffic.counters());
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    /**
     * Ends the server at the end of the anchor. The scope's deadline is not known here; when it is over the scope
     * interrupts this thread.
     */
    private void endWithScope() {
        awaitStart();
        if (!ended.get()) {
            end(anchorsDeadline);
        }
    }

    /**
     * Waits until the start of the server is over, without regard to interrupts, since what the start has opened
     * must be closed.
     */
    private void awaitStart() {
        var interrupted = false;
        while (true) {
            try {
                started.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the handlers that run, then closes all connections, and then stops all actors. */
    private StopReport end(long nanos) {
        var drained = false;
        var interrupted = false;
        try {
            drained = traffic.drain(nanos);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (ended.compareAndSet(false, true)) {
            engine.stop(0);
        }
        traffic.stopSweeping();
        var report = crew.stop(drained ? GRACE : Duration.ZERO); // a deadline of zero interrupts, and waits for the grace of the scope
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return new StopReport(crew.name(), report.stopped(), !drained, report.stuck(),
                traffic.counters());
    }

    @Override
    public void waitForExit() {
        refuseToWaitInside();
        anchor.waitForExit();
    }

    private void refuseToWaitInside() {
        if (traffic.isInside()) {
            throw new IllegalStateException("a request of the " + this
                    + " would wait for its own end, for ever; wait outside the server's handlers");
        }
    }

    @Override
    public boolean waitForExit(Duration timeout) {
        refuseToWaitInside();
        return anchor.waitForExit(timeout);
    }

    @Override
    public String toString() {
        return "HTTP server on " + address;
    }
}
