package io.fibry.internal.net;

import io.fibry.ActorBuilder;
import io.fibry.ReceivingContext;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one server. Each is read and answered by an actor of its own on a fiber; the sweep cuts
 * those off whose client does not read; draining waits until the last handler is done.
 *
 * <p>A request first counts itself in {@code active}, then looks whether the server is {@code stopping}; the
 * stopper first says so, then looks at the count. So no request is both answered and not waited for.
 */
final class HttpTraffic implements Executor {
    private static final int TICKS = 4;
    private static final long SHORTEST_TICK_NANOS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_TICK_NANOS = Duration.ofSeconds(5).toNanos();

    private final ActorBuilder fibers;
    private final TimeSource time;
    private final int most;
    private final long tickNanos;
    private final Map<Thread, HttpWork> works = new ConcurrentHashMap<>();
    private final AtomicInteger active = new AtomicInteger();
    private final List<Drain> drains = new CopyOnWriteArrayList<>();
    private volatile boolean stopping;
    private volatile boolean closed;
    private volatile int tick = 1;
    private volatile @Nullable Cancellable nextSweep;

    /** Somebody waits until no more than {@code own} requests are active. */
    private record Drain(int own, CompletableFuture<Boolean> inTime) {
    }

    HttpTraffic(ActorBuilder fibers, TimeSource time, int most, Duration writeLimit) {
        this.fibers = fibers;
        this.time = time;
        this.most = most;
        tickNanos = Math.clamp(writeLimit.toNanos() / TICKS, SHORTEST_TICK_NANOS, LONGEST_TICK_NANOS);
        limitTicks = (int) Math.min(Integer.MAX_VALUE / 2, Math.ceilDiv(writeLimit.toNanos(), tickNanos));
    }

    private final int limitTicks;

    /** Called by the engine for each request, when its first byte is there. */
    @Override
    public void execute(Runnable request) {
        fibers.newReceivingActor((ReceivingContext<Object> context) -> {
            var work = new HttpWork(context.self());
            works.put(Thread.currentThread(), work);
            try {
                request.run();
            } finally {
                works.remove(Thread.currentThread());
            }
        });
    }

    /** What this thread does. */
    HttpWork work() {
        var work = works.get(Thread.currentThread());
        return work != null ? work : new HttpWork(null);
    }

    int size() {
        return works.size();
    }

    boolean isStopping() {
        return stopping;
    }

    /** Whether a request may be handled; if so, it must {@link #end}. */
    boolean begin() {
        var now = active.incrementAndGet();
        if (stopping || now > most) {
            end();
            return false;
        }
        return true;
    }

    void end() {
        var left = active.decrementAndGet();
        if (stopping) {
            for (var drain : drains) {
                if (left <= drain.own) {
                    drain.inTime.complete(true);
                }
            }
        }
    }

    /** Whether the caller is a handler of this server. */
    boolean isInside() {
        var caller = Thread.currentThread();
        return works.values().stream().anyMatch(work -> work.isOn(caller));
    }

    /** Refuses new requests and waits until those that were begun have ended; false if it took too long. */
    boolean drain(long nanos) throws InterruptedException {
        var own = isInside() ? 1 : 0;
        var drain = new Drain(own, new CompletableFuture<>());
        drains.add(drain);
        stopping = true;
        if (active.get() <= own) {
            return true;
        }
        var alarm = time.schedule(nanos, () -> drain.inTime.complete(false));
        try {
            return drain.inTime.get();
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            alarm.cancel();
            drains.remove(drain);
        }
    }

    // ---- Clients that do not read. ----

    /** The tick to write to {@link HttpWork#writingSince}. */
    int tick() {
        return tick;
    }

    void startSweeping() {
        nextSweep = time.schedule(tickNanos, this::sweep);
        if (closed) {
            stopSweeping();
        }
    }

    void stopSweeping() {
        closed = true;
        var pending = nextSweep;
        if (pending != null) {
            pending.cancel();
        }
    }

    private void sweep() {
        var now = tick + 1; // no other thread writes it
        tick = now;
        for (var work : works.values()) {
            var since = work.writingSince;
            if (since != 0 && now - since > limitTicks) {
                cut(work);
            }
        }
        if (!closed) {
            startSweeping();
        }
    }

    /** Interrupts it, which closes its socket; on a fiber, as that can take a moment. */
    private void cut(HttpWork work) {
        var actor = work.actor;
        if (actor != null && !closed) {
            work.cut = true;
            try {
                fibers.newReceivingActor((ReceivingContext<Object> context) -> actor.stop(Duration.ZERO));
            } catch (IllegalStateException closing) {
                // all are being interrupted anyway
            }
        }
    }
}
