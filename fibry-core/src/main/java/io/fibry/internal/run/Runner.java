package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.report.Fates;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What a thread that runs jobs knows about itself. Confined to that thread, except for what other threads may read. */
public class Runner {
    /** A fiber that runs on and on gives its carrier away this often. */
    private static final long PASS_NANOS = 1_000_000;
    /** If more time than this passes between two readings of the clock, it is read after the next job again. */
    private static final long LONG_NANOS = 50_000;
    /** The runner of a thread that runs jobs. In this room it is read and set here; others call the methods below. */
    static final ThreadLocal<Runner> CURRENT = new ThreadLocal<>();
    private static final VarHandle PROGRESS =
            FieldAccess.of(MethodHandles.lookup(), "progress", long.class);

    /** The thread. Set before other threads can see this object. */
    public @Nullable Thread thread;
    /** The innermost job. Written by its thread, plain: the monitor only guesses. */
    public @Nullable Job job;
    /**
     * Changes whenever a handler begins or ends. A thread that sees the same value twice has seen the same
     * handler twice. Written by its thread, opaque.
     */
    private long progress;
    private Handoff.@Nullable Ticket ticket;
    /** When the thread began to run, as far as that was asked; 0 before that. */
    private long startedAt;
    /** When the clock was read last, for what has begun then. */
    private long readAt;
    private boolean isLong;
    /** When the thread last gave its carrier away, or began to run. It counts once the clock was started. */
    private long passedAt;

    /**
     * Whether the thread belongs to a caller that waits for the end of the job that runs here: it sends, or waits for
     * an answer.
     */
    public final boolean isLent;

    public Runner(@Nullable Thread thread) {
        this(thread, false);
    }

    private Runner(@Nullable Thread thread, boolean isLent) {
        this.thread = thread;
        this.isLent = isLent;
    }

    /** Returns a runner for the calling thread, which waits for the job that it runs and has no runner of its own. */
    public static Runner lent() {
        return new Runner(Thread.currentThread(), true);
    }

    /** Hands a job to an executor that may run it at once, on the calling thread, which has no runner. */
    public static void lend(Executor executor, Job job) {
        var lent = lent();
        lent.adopt();
        try {
            executor.execute(job);
        } finally {
            leave();
            lent.end();
        }
    }

    /** Returns the runner of the calling thread; null if the thread runs no jobs. */
    public static @Nullable Runner current() {
        return CURRENT.get();
    }

    /** Returns the innermost job of the calling thread; null if there is none, or its owner has gone on without it. */
    public static @Nullable Job currentJob() {
        var runner = CURRENT.get();
        var mine = runner == null ? null : runner.job;
        return mine == null || mine.isGone() ? null : mine;
    }

    /**
     * Returns the name of the owner whose code the calling thread runs; null if it runs none. The owner may have gone on
     * without the thread: the name is for reports.
     */
    public static @Nullable String currentName() {
        var runner = CURRENT.get();
        var mine = runner == null ? null : runner.job;
        return mine == null ? null : mine.ownerName();
    }

    /** Makes this the runner of the calling thread, which runs jobs from here on. */
    public final void adopt() {
        CURRENT.set(this);
    }

    /** Removes the runner of the calling thread, which runs no jobs any more. */
    public static void leave() {
        CURRENT.remove();
    }

    /** Parks the thread until it is unparked or interrupted, or for no reason. */
    public void park(Object blocker) {
        Parking.parkHere(blocker);
    }

    /** Returns the thread to interrupt for a job that runs here. Called by any thread that sees the job. */
    public final @Nullable Thread thread() {
        return thread;
    }

    public final void markProgress() {
        PROGRESS.setOpaque(this, progress + 1);
    }

    public final long progress() {
        return (long) PROGRESS.getOpaque(this);
    }

    /** Prepares the end of the innermost job, which is about to make its owner idle. */
    public void prepareEnd() {
    }

    /** Undoes {@link #prepareEnd}: the job goes on after all. */
    public void cancelEnd() {
    }

    /** Notes that the job of the upper owner has ended, and that a job below it goes on. */
    public void leaveNested(Object upper) {
    }

    /** Counts the messages of a scope that a job here has handled. */
    public void countHandled(Fates fates, int messages) {
        fates.add(Fates.Kind.HANDLED, messages);
    }

    /** Tells whether the thread has run for longer than this. The first call starts the clock. */
    public final boolean hasRunFor(long nanos, TimeSource time) {
        if (startedAt == 0) {
            restartClock(time);
            return false;
        }
        var now = time.nanoTime();
        isLong = now - readAt > LONG_NANOS;
        readAt = now;
        return now - startedAt > nanos;
    }

    /**
     * Tells whether what has run between the last two readings of the clock took so long that the clock is to be read
     * again after the next job. Many short jobs may have taken as long: then the next reading, after one of them, ends
     * this.
     */
    public final boolean isLong() {
        return isLong;
    }

    /** Restarts the clock of {@link #hasRunFor}: the thread has let others run. */
    public final void restartClock(TimeSource time) {
        var now = time.nanoTime();
        if (startedAt == 0) {
            passedAt = now;
        }
        startedAt = now == 0 ? 1 : now;
        readAt = now;
    }

    /** Tells whether the thread has run for so long that it has to give its carrier away. Until then it is enough to yield. */
    public final boolean hasToPass(TimeSource time) {
        if (startedAt == 0) {
            restartClock(time);
        }
        return time.nanoTime() - passedAt > PASS_NANOS;
    }

    /**
     * Yields, which is cheap, and from time to time gives the carrier away. A virtual thread with very many frames cannot
     * leave its carrier, since the stack of the carrier is too short for the code of the JDK that copies the frames. Such a
     * thread goes on at once: an overflow here would end a turn in its middle.
     */
    public final void yieldOrPass(Handoff handoff, TimeSource time) {
        try {
            letOthersRun(handoff, time);
        } catch (StackOverflowError tooManyFrames) {
            passedAt = time.nanoTime();
        }
    }

    private void letOthersRun(Handoff handoff, TimeSource time) {
        if (hasToPass(time)) {
            pass(handoff);
            passedAt = time.nanoTime();
        } else {
            Thread.yield();
        }
    }

    /** Gives the carrier away. */
    final void pass(Handoff handoff) {
        ticket = handoff.pass(ticket);
    }

    /** Gives this runner the ticket with which its thread is about to be started. */
    final void hold(Handoff.Ticket given) {
        ticket = given;
    }

    /** Ends the use of this runner: the thread runs no more jobs. */
    public final void end() {
        if (ticket != null) {
            ticket.end();
        }
    }
}
