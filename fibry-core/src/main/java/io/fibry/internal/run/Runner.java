package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.report.Fates;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** What a thread that runs actors knows of itself. Touched by that thread only, but for what others may look at. */
public class Runner {
    /** A fiber that goes on and on gives its carrier away for real this often. */
    private static final long PASS_NANOS = 1_000_000;
    private static final ThreadLocal<Runner> CURRENT = new ThreadLocal<>();
    private static final VarHandle PROGRESS =
            FieldAccess.of(MethodHandles.lookup(), "progress", long.class);

    /** Set before anybody else can see it. */
    public @Nullable Thread thread;
    /** The innermost job. */
    public @Nullable Job job;
    /** Moves whenever a handler begins or ends: whoever sees it stand still sees one and the same handler. */
    private long progress;
    private CarrierHandoff.@Nullable Ticket ticket;
    /** Since when it has run, as far as it was asked; 0 before that. */
    private long since;
    private boolean hasYielded;
    private long passedAt;

    /** Whether its thread is that of somebody who waits for the turn to end: it sends, or waits for an answer. */
    public final boolean isLent;

    public Runner(@Nullable Thread thread) {
        this(thread, false);
    }

    private Runner(@Nullable Thread thread, boolean isLent) {
        this.thread = thread;
        this.isLent = isLent;
    }

    /** The calling thread, which is no actor's and waits for the turn that it runs. */
    public static Runner lent() {
        return new Runner(Thread.currentThread(), true);
    }

    /** Returns that of the calling thread; null if the thread runs no actors. */
    public static @Nullable Runner current() {
        return CURRENT.get();
    }

    /** Returns the innermost job of the calling thread; null if there is none, or its owner has gone on without it. */
    public static @Nullable Job currentJob() {
        var strand = CURRENT.get();
        var mine = strand == null ? null : strand.job;
        return mine == null || mine.isGone() ? null : mine;
    }

    /**
     * Returns the name of the owner whose code the calling thread runs; null if it runs none. The owner may have gone on
     * without the thread: the name is for reports.
     */
    public static @Nullable String currentName() {
        var strand = CURRENT.get();
        var mine = strand == null ? null : strand.job;
        return mine == null ? null : mine.ownerName();
    }

    /** Makes this the strand of the calling thread, which runs actors from here on. */
    public final void adopt() {
        CURRENT.set(this);
    }

    /** Notes that the calling thread runs no actors any more. */
    public static void leave() {
        CURRENT.remove();
    }

    /** Parks its thread, until that is unparked or interrupted, or for no reason. */
    public void park(Object blocker) {
        Parking.parkHere(blocker);
    }

    /** What to interrupt for a turn that runs here. By any thread that sees the turn. */
    public final @Nullable Thread thread() {
        return thread;
    }

    public final void markProgress() {
        PROGRESS.setOpaque(this, progress + 1);
    }

    public final long progress() {
        return (long) PROGRESS.getOpaque(this);
    }

    /** The innermost turn is about to make its actor idle, and so to end. */
    public void prepareEnd() {
    }

    /** It goes on after all. */
    public void cancelEnd() {
    }

    /** Notes that the turn of the upper actor has ended, and that one below it goes on. */
    public void leaveNested(Object upper) {
    }

    /** A turn that runs here has handled so many messages of a scope. */
    public void countHandled(Fates fates, int messages) {
        fates.add(Fates.Kind.HANDLED, messages);
    }

    /** Whether it has run for longer than that. The first call starts the clock. */
    public final boolean hasRunFor(long nanos, TimeSource time) {
        var now = time.nanoTime();
        if (since == 0) {
            since = now == 0 ? 1 : now;
        }
        return now - since > nanos;
    }

    /** It has given way. */
    public final void restartClock() {
        since = 0;
    }

    /** Yields, which is cheap, and now and then gives the carrier away for real. */
    public final void yieldOrPass(TimeSource time) {
        var now = time.nanoTime();
        if (hasYielded && now - passedAt > PASS_NANOS) {
            pass();
            passedAt = time.nanoTime();
        } else {
            if (!hasYielded) {
                hasYielded = true;
                passedAt = now;
            }
            Thread.yield();
        }
    }

    /** Gives the carrier away for real. */
    final void pass() {
        ticket = CarrierHandoff.INSTANCE.pass(ticket);
    }

    /** No turn runs on this thread any more. */
    public final void end() {
        if (ticket != null) {
            CarrierHandoff.INSTANCE.end(ticket);
        }
    }
}
