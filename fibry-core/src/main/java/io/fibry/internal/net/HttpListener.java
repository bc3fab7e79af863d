package io.fibry.internal.net;

import com.sun.net.httpserver.HttpServer;
import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Builder;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.HttpTextHandler;
import io.fibry.net.Server;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * An HTTP server. An actor stands for it in its scope: the end of that one is the end of the server, and the
 * other way round.
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
    /** How long requests may take when the anchor's end is the end of the server. */
    private volatile long anchorsDeadline = Long.MAX_VALUE;

    private HttpListener(Builder builder, HttpOptions options, Function<HttpPlace, HttpService> service) {
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

    /** The server will not be. */
    private void letGo() {
        ended.set(true);
        engine.start(); // one that was never started does not let go of all it has
        engine.stop(0);
        started.countDown();
    }

    /**
     * Starts a server whose answers are texts.
     *
     * @param builder where it lives and where its handlers run
     * @param options how it is to be
     * @param handler what answers
     * @return the server
     */
    public static Server start(ActorBuilder builder, HttpOptions options, HttpTextHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return open(builder, options, place -> HttpService.of(handler, place));
    }

    /**
     * Starts a server with routes.
     *
     * @param builder where it lives and where its handlers run
     * @param options how it is to be
     * @param routes what answers
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
        var server = new HttpListener(Builder.of(builder), options, service);
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

    /** Hooks of the user's find the server stopped. */
    private Actor<Object, Void> anchor(Builder builder) {
        return builder.onExitFirst(this::endWithScope).bringingInWork()
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

    /** Waits for the other requests; the anchor sees to the rest when the caller's request is answered. */
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

    /** The scope's deadline is not known here; when it is over, the scope interrupts this. */
    private void endWithScope() {
        awaitStart();
        if (!ended.get()) {
            end(anchorsDeadline);
        }
    }

    /** It may be on the way still. What has been opened is to be closed, also when the scope is in a hurry. */
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

    /** Waits for the handlers that run, then closes all connections, then makes sure that all actors end. */
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
        var report = crew.stop(drained ? GRACE : Duration.ZERO); // the latter interrupts, and waits as long
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
