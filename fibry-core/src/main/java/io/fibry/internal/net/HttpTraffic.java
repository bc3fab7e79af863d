package io.fibry.internal.net;

import io.fibry.ActorBuilder;
import io.fibry.Counters;
import io.fibry.FailurePolicy;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Builder;
import io.fibry.internal.scope.Shifts;
import io.fibry.net.HttpOptions;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one server, which {@link HttpClerks} read and answer; the sweep cuts those off whose client does not
 * read; draining waits until the last handler is done.
 *
 * <p>A request is first marked as handled, then looks whether the server is {@code stopping}; the stopper first says
 * so, then looks which are marked. The last one to end takes its mark off, then looks which are marked. So no request
 * is both answered and not waited for, and nobody waits for ever. There is no counter of all, which each
 * processor would have to wait for, unless only so many are allowed.
 */
final class HttpTraffic implements Executor {
    private static final int TICKS = 4;
    private static final long SHORTEST_TICK_NANOS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_TICK_NANOS = Duration.ofSeconds(1).toNanos();

    private final Executor starter;
    private final Shifts shifts;
    private final TimeSource time;
    private final int most;
    /** How many are handled; if there is a bound. */
    private final AtomicInteger active = new AtomicInteger();
    private final long tickNanos;
    private final int writeTicks;
    private final int readTicks;
    private final int contentTicks;
    private final LongAdder handled = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final HttpWorks works = new HttpWorks();
    private final HttpClerks clerks;
    private final List<Drain> drains = new CopyOnWriteArrayList<>();
    /** How many handlers wait for the others to end, so that nobody may wait for them. */
    private final AtomicInteger insiders = new AtomicInteger();
    /** Set before the first request comes. */
    private boolean watchesHeads;
    private @Nullable HttpReserve reserve;
    private volatile boolean stopping;
    private volatile boolean closed;
    private volatile int tick = 1;
    private volatile @Nullable Cancellable nextSweep;

    /** Somebody waits until no request is active, or only those that wait themselves. */
    private record Drain(boolean isInside, CompletableFuture<Boolean> inTime) {
    }

    /** How a request has ended. */
    enum Fate {
        /** The handler has answered. */
        HANDLED,
        /** The handler has failed, or the answer broke off. */
        FAILED,
        /** No handler has seen it. */
        REFUSED
    }

    HttpTraffic(ActorBuilder actors, TimeSource time, HttpOptions options) {
        this(actors, time, options, Strategies.FIBER_CHAIN);
    }

    /** Traffic whose fibers are started by this executor. */
    HttpTraffic(ActorBuilder actors, TimeSource time, HttpOptions options, Executor starter) {
        shifts = new Shifts(Builder.of(actors.onFailure(FailurePolicy.stop())));
        this.time = time;
        most = options.requests();
        this.starter = starter;
        clerks = new HttpClerks(this, works, shifts, time, starter,
                Runtime.getRuntime().availableProcessors());
        var writeNanos = Durations.positiveNanos(options.writeLimit(), "writeLimit");
        var readNanos = Durations.positiveNanos(options.readLimit(), "readLimit");
        tickNanos = Math.clamp(Math.min(writeNanos, readNanos) / TICKS, SHORTEST_TICK_NANOS,
                LONGEST_TICK_NANOS);
        writeTicks = ticks(writeNanos);
        readTicks = ticks(readNanos);
        contentTicks = ticks(Durations.positiveNanos(options.contentLimit(), "contentLimit"));
    }

    private int ticks(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE / 2, Math.ceilDiv(nanos, tickNanos));
    }

    @Override
    public void execute(Runnable request) {
        clerks.execute(request);
    }

    /** As {@link #execute}, on the calling fiber. */
    void run(Runnable requests, Runnable cut) {
        var work = new HttpWork(cut);
        works.add(work);
        try {
            requests.run();
        } finally {
            works.remove(work);
        }
    }

    /** What this thread does. An engine may have handed a request on to a thread of its own. */
    HttpWork work() {
        var mine = works.of(Thread.currentThread());
        return mine == null ? new HttpWork(null) : mine;
    }

    int size() {
        return works.all().size();
    }

    boolean isStopping() {
        return stopping;
    }

    /** Answers no more requests. */
    void refuse() {
        stopping = true;
    }

    /** Whether a request may be handled; if so, it must {@link #end}. */
    boolean begin(HttpWork work) {
        if (work.cutter == null) {
            works.add(work);
        }
        work.markHandled(true);
        var hasPlace = most == Integer.MAX_VALUE || active.incrementAndGet() <= most; // after what may fail
        if (stopping || !hasPlace) {
            end(work);
            return false;
        }
        return true;
    }

    void end(HttpWork work) {
        if (most != Integer.MAX_VALUE) {
            active.decrementAndGet();
        }
        work.markHandled(false);
        if (work.cutter == null) {
            works.remove(work);
        }
        if (stopping) {
            tellDrains();
        }
    }

    private void tellDrains() {
        if (drains.isEmpty()) {
            return; // who drains looks itself, after it is among them
        }
        var handled = works.all().stream().filter(HttpWork::markHandled).count();
        for (var drain : drains) {
            if (handled <= (drain.isInside ? insiders.get() : 0)) {
                drain.inTime.complete(true);
            }
        }
    }

    /** Whether the caller is a handler of this server. */
    boolean isInside() {
        var caller = Thread.currentThread();
        return works.all().stream().anyMatch(work -> work.isOn(caller));
    }

    /**
     * Refuses new requests and waits until those that were begun have ended, but for those that do the same; false
     * if it took too long.
     */
    boolean drain(long nanos) throws InterruptedException {
        var drain = new Drain(isInside(), new CompletableFuture<>());
        drains.add(drain);
        if (drain.isInside) {
            insiders.incrementAndGet();
        }
        stopping = true;
        tellDrains();
        var alarm = time.schedule(nanos, () -> drain.inTime.complete(false));
        try {
            return drain.inTime.get();
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            alarm.cancel();
            if (drain.isInside) {
                insiders.decrementAndGet();
            }
            drains.remove(drain);
        }
    }

    // ---- What became of requests. ----

    /** One more has ended. */
    void count(Fate fate) {
        switch (fate) {
            case HANDLED -> handled.increment();
            case FAILED -> failed.increment();
            case REFUSED -> refused.increment();
        }
    }

    /** The requests that have ended. */
    Counters counters() {
        return new Counters(handled.sum(), failed.sum(), 0, 0, refused.sum(), 0);
    }

    // ---- Clients that do not read, or do not send. ----

    /** The tick to write to {@link HttpWork#writesSince} and {@link HttpWork#readsSince}. */
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
        if (reserve != null) {
            reserve.close();
        }
    }

    private void runInside(Runnable cutter) {
        try {
            shifts.run(context -> cutter.run());
        } catch (IllegalStateException closed) {
            return; // all are being interrupted anyway
        }
    }

    private void sweep() {
        try {
            lookAtAll();
        } finally {
            if (!closed) {
                startSweeping();
            }
        }
    }

    private void lookAtAll() {
        var now = tick + 1; // no other thread writes it
        tick = now;
        for (var work : works.all()) {
            var piece = work.piece();
            if (isLate(work.writingSince(), now, writeTicks) || isLate(work.readingSince(), now, readTicks)) {
                cut(work, piece);
            }
        }
        if (reserve != null) {
            reserve.look();
        }
        clerks.sendHelp(); // there may be memory for it again
    }

    /** The engine's; looked after as long as there are sweeps. Set before the first one. */
    void keeps(HttpReserve files) {
        reserve = files;
    }

    /** Whether connections are not to be kept, as there are no files for others. */
    boolean isShortOfFiles() {
        return reserve != null && reserve.isSpent();
    }

    /** Each piece of work begins with the head of a request; where that is so, it must come in time. */
    void watchHeads() {
        watchesHeads = true;
    }

    /** A fiber begins to read a request. */
    void pieceBegins(HttpWork work) {
        if (watchesHeads) {
            work.readsSince(tick, work.piece());
        }
    }

    private static boolean isLate(int since, int now, int ticks) {
        return since != 0 && now - since > ticks;
    }

    /** Whether content that began to come at that tick has taken too long in all. */
    boolean isOverlong(int sinceTick) {
        return isLate(sinceTick, tick, contentTicks);
    }

    /** Interrupts it, or does what else closes its socket; on a fiber, as that can take a moment. */
    private void cut(HttpWork work, int piece) {
        var cutter = work.cutter;
        if (cutter != null && !closed && work.cuts(piece)) {
            starter.execute(() -> runInside(cutter));
        }
    }
}
