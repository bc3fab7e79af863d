package io.fibry.web.internal;

import io.fibry.net.HttpRoutes;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import io.fibry.web.WebOptions;
import io.fibry.web.WebSocketRoute;
import java.time.Duration;
import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks from time to time which clients are late with something. One timer serves a whole server. */
final class Sweep {
    private static final int TICKS = 4;
    private static final Duration SHORTEST_TICK = Duration.ofMillis(10);
    private static final Duration LONGEST_TICK = Duration.ofMillis(500);

    private final TimeSource time;
    private final Collection<WebConnection> connections;
    private final BiConsumer<WebConnection, String> cut;
    private final long tickNanos;
    /** Written by the thread that sets the next tick, which then reads {@link #stopped}; so one thread cancels it. */
    private volatile @Nullable Cancellable next;
    /** Set by the thread that ends the sweep, before it reads {@link #next}. */
    private volatile boolean stopped;

    Sweep(TimeSource time, Collection<WebConnection> connections, WebOptions options, HttpRoutes routes,
            BiConsumer<WebConnection, String> cut) {
        this.time = time;
        this.connections = connections;
        this.cut = cut;
        var ofSockets = routes.routes().stream().map(route -> route.handler())
                .filter(WebSocketRoute.class::isInstance).map(handler -> ((WebSocketRoute) handler).options())
                .flatMap(o -> Stream.of(o.idleTimeout().dividedBy(2), o.writeLimit(), o.closeLimit()));
        var shortest = Stream.concat(ofSockets, Stream.of(options.idleTimeout(), options.http().readLimit()))
                .map(limit -> limit.dividedBy(TICKS)).min(Duration::compareTo).orElse(LONGEST_TICK);
        tickNanos =
                Math.clamp(shortest.compareTo(LONGEST_TICK) > 0 ? LONGEST_TICK.toNanos() : shortest.toNanos(),
                        SHORTEST_TICK.toNanos(), LONGEST_TICK.toNanos());
    }

    void start() {
        next = time.schedule(tickNanos, this::look);
        if (stopped) {
            stop();
        }
    }

    void stop() {
        stopped = true;
        var pending = next;
        if (pending != null) {
            pending.cancel();
        }
    }

    private void look() {
        var now = time.nanoTime();
        for (var connection : connections) {
            if (!connection.isCut()) {
                connection.late(now).ifPresent(why -> cut.accept(connection, why));
            }
        }
        if (!stopped) {
            start();
        }
    }
}
