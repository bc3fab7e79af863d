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
 * The requests of one server, which {@link HttpClerks} read and answer. The sweep cuts off requests whose client
 * does not read. A drain waits until the last handler has ended.
 *
 * <p>A request is first marked as handled, and then its thread reads {@code stopping}. A stopper first sets {@code
 * stopping} and then counts the marks. A request that ends removes its mark and then counts the marks that are left.
 * So a drain waits for each request that is answered, and no drain waits for ever. There is no counter of all
 * requests, on which all processors would contend, unless the options limit their number.
 */
final class HttpTraffic implements Executor {
    private static final int TICKS = 4;
    private static final long SHORTEST_TICK_NANOS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_TICK_NANOS = Duration.ofSeconds(1).toNanos();

    private final Executor starter;
    private final Shifts shifts;
    private final TimeSource time;
    private final int most;
    /** The number of requests that are handled; counted only if there is a limit. */
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
    /** A stopper joins and then reads whether all requests are done; a request ends and then reads the list. */
    private final List<Drain> drains = new CopyOnWriteArrayList<>();
    /**
     * The number of handlers that wait for the others to end. No drain may wait for them. A drain from inside
     * is counted before it looks.
     */
    private final AtomicInteger insiders = new AtomicInteger();
    /** Set before the first request comes. */
    private boolean watchesHeads;
    private @Nullable HttpReserve reserve;
    /** Set by stoppers, before they read who is at work; a clerk lists itself and then reads this. */
    private volatile boolean stopping;
    /**
     * Set by the thread that ends the sweep, before it cancels the next one; the sweep writes {@link
     * #nextSweep} first.
     */
    private volatile boolean closed;
    /** Written by the sweep alone. */
    private volatile int tick = 1;
    /** Written by the thread that sets the next sweep, which then reads {@link #closed}. */
    private volatile @Nullable Cancellable nextSweep;

    /** A thread that waits until no request is active, or only requests that wait themselves. */
    private record Drain(boolean isInside, CompletableFuture<Boolean> inTime) {
    }

    /** How a request has ended. */
    enum Fate {
        /** The handler has answered. */
        HANDLED,
        /** The handler has failed, or the answer broke off. */
        FAILED,
        /** No handler has seen the request. */
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

    /** Runs requests as {@link #execute} does, but on the calling fiber. */
    void run(Runnable requests, Runnable cut) {
        var work = new HttpWork(cut);
        works.add(work);
        try {
            requests.run();
        } finally {
            works.remove(work);
        }
    }

    /**
     * Returns the work of the calling thread. This is a new one if an engine has passed a request to a thread of its
     * own.
     */
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

    /** Begins a request; returns whether it may be handled. If so, the caller must call {@link #end}. */
    boolean begin(HttpWork work) {
        if (work.cutter == null) {
            works.add(work);
        }
        work.markHandled(true);
        var hasPlace = most == Integer.MAX_VALUE || active.incrementAndGet() <= most; // counted after the steps that may fail
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
            return; // a thread that drains counts the marks itself after it has added its drain
        }
        var handled = works.all().stream().filter(HttpWork::isHandled).count();
        for (var drain : drains) {
            if (handled <= (drain.isInside ? insiders.get() : 0)) {
                drain.inTime.complete(true);
            }
        }
    }

    /** Returns whether the caller is a handler of this server. */
    boolean isInside() {
        var caller = Thread.currentThread();
        return works.all().stream().anyMatch(work -> work.isOn(caller));
    }

    /**
     * Refuses new requests and waits until those that have begun have ended, except for requests that wait here
     * themselves. Returns false if the time was over before.
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

    /** Counts a request that has ended. */
    void count(Fate fate) {
        switch (fate) {
            case HANDLED -> handled.increment();
            case FAILED -> failed.increment();
            case REFUSED -> refused.increment();
        }
    }

    /** Returns the counters of the requests that have ended. */
    Counters counters() {
        return new Counters(handled.sum(), failed.sum(), 0, 0, refused.sum(), 0);
    }

    // ---- Clients that do not read, or do not send. ----

    /** Returns the current tick, for {@link HttpWork#writesSince} and {@link HttpWork#readsSince}. */
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
            return; // the end of the scope interrupts all of them
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
        var now = tick + 1; // only the sweep writes it
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
        clerks.sendHelp(); // there may be memory for a fiber again
    }

    /** Sets the reserve of the engine, which each sweep maintains. Called before the first sweep. */
    void keeps(HttpReserve files) {
        reserve = files;
    }

    /** Returns whether connections must not be kept, since there are no files for others. */
    boolean isShortOfFiles() {
        return reserve != null && reserve.isSpent();
    }

    /**
     * Makes the sweep limit how long the head of a request takes. Called for engines whose pieces of work begin with
     * such a head.
     */
    void watchHeads() {
        watchesHeads = true;
    }

    /** Records that a fiber begins to read a request. */
    void pieceBegins(HttpWork work) {
        if (watchesHeads) {
            work.readsSince(tick, work.piece());
        }
    }

    private static boolean isLate(int since, int now, int ticks) {
        return since != 0 && now - since > ticks;
    }

    /** Returns whether content that began to come at a tick has taken too long in all. */
    boolean isOverlong(int sinceTick) {
        return isLate(sinceTick, tick, contentTicks);
    }

    /** Interrupts the work or closes its socket. A fiber does this, since it can take a moment. */
    private void cut(HttpWork work, int piece) {
        var cutter = work.cutter;
        if (cutter != null && !closed && work.cuts(piece)) {
            starter.execute(() -> runInside(cutter));
        }
    }
}
