package io.fibry.internal.abandon;

import io.fibry.HandlerAbandonedException;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Interrupts;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.TimeLimit;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Backoff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that handles messages for turns, which wait for it, so that a turn can go on without a handler that does
 * not end. It works for one turn at a time, which gives it one {@link StandInRun} after another. A run that is
 * abandoned is the last run of its thread.
 *
 * <pre>
 *   next: null -> StandInRun    the turn, which then unparks the thread
 *         StandInRun -> null    the thread, which takes it before it checks whether it has to end, and before it parks
 * </pre>
 *
 * <p>Only the turn interrupts the thread, and only while the turn waits for it. The fields {@code interrupting} and
 * {@code deaf} work together as {@code interrupters} and {@code running} do for turns, see {@link Interrupts}. A
 * thread is deaf except while the handler runs. An interrupt that comes while it is deaf is kept in {@code missed}.
 */
public final class StandInThread extends StandIn implements Runnable {
    private static final VarHandle NEXT =
            FieldAccess.of(MethodHandles.lookup(), "next", StandInRun.class);

    /** Written by the turn before it unparks; taken by the stand-in thread, by an exchange, before it parks. */
    private volatile @Nullable StandInRun next;
    /** Set by the turn or by the sweep of the stock. */
    private volatile boolean ends;
    /** Written by the stand-in thread: whether it may not be interrupted. */
    private volatile boolean deaf = true;
    /** Written by the turn, while it interrupts. */
    private volatile boolean interrupting;
    /** Written by the two threads, one at a time: an interrupt that came while the thread was deaf. */
    private volatile boolean missed;
    /**
     * Whether the handler waits by a method of the library. The turn then lets a bounded pool have a spare
     * thread. Written by the stand-in thread, before it unparks the turn.
     */
    private volatile boolean waits;
    /** Used by {@link StandInThreads} while the thread is in its stock. */
    boolean isOld;

    // Used by its own thread.
    private @Nullable StandInRun current;
    private int waitsInside;

    // ---- Called by the turn. ----

    /** Gives the thread its next run. The thread has none at this time. */
    void give(StandInRun given) {
        // mutant: missed-interrupt-reaches-the-next-message
        missed = false; // an interrupt that came too late for the previous run
        NEXT.setVolatile(this, given);
        wake();
    }

    /** Ends the thread, which is not needed any more. */
    void letGo() {
        ends = true;
        wake();
    }

    private void wake() {
        var mine = thread;
        if (mine != null) { // else the thread checks before it parks for the first time
            LockSupport.unpark(mine);
        }
    }

    /** Interrupts the handler if it still runs. */
    void interrupt() {
        interrupting = true;
        assert Interleave.here();
        var mine = deaf ? null : thread;
        assert Interleave.here();
        if (mine == null) {
            missed = true;
        } else {
            mine.interrupt();
        }
        interrupting = false;
    }

    /** Returns the stack of the thread. Called by any thread. */
    @Override
    public List<StackTraceElement> stack() {
        var mine = thread;
        return mine == null ? List.of() : List.of(mine.getStackTrace());
    }

    boolean waits() {
        return waits;
    }

    // ---- The thread. ----

    @Override
    public void run() {
        thread = Thread.currentThread();
        adopt();
        while (true) {
            assert Interleave.here();
            var given = next == null ? null : (StandInRun) NEXT.getAndSet(this, (StandInRun) null);
            if (given != null) {
                if (!work(given)) {
                    break;
                }
            } else if (ends) {
                break;
            } else {
                Thread.interrupted(); // with the flag set it would not park
                LockSupport.park(this);
            }
        }
        end();
    }

    /** Handles a message; returns false if the run was abandoned. */
    private boolean work(StandInRun mine) {
        begin(mine);
        try {
            LogContext.putAside();
            LogContext.begin(mine.guest);
            Carried.around(mine.carried, new Handling(this, mine));
            LogContext.restore(null);
        } catch (Throwable ours) {
            mine.fail(ours);
            stopListening();
        }
        if (!mine.end()) {
            finishLate(mine);
            return false;
        }
        current = null;
        job = null;
        return true;
    }

    private record Handling(StandInThread thread, StandInRun mine) implements Runnable {
        @Override
        public void run() {
            thread.listen();
            mine.run();
            thread.stopListening();
        }
    }

    private void begin(StandInRun mine) {
        current = mine;
        mine.guest.visit(this, null);
        job = mine.guest;
        mine.begin();
    }

    private void listen() {
        // mutant: stand-in-does-not-clear-its-interrupt
        Thread.interrupted(); // clear first: an interrupt that comes after this is for this message
        deaf = false;
        repeatMissed();
    }

    /** Makes the thread deaf. No interrupt reaches it after this method has returned. */
    private void stopListening() {
        deaf = true;
        awaitInterrupt();
    }

    private void repeatMissed() {
        awaitInterrupt();
        if (missed) {
            missed = false;
            Thread.currentThread().interrupt();
        }
    }

    private void awaitInterrupt() {
        assert Interleave.here();
        if (interrupting) { // the turn only reads a field and interrupts: this wait is short
            var backoff = new Backoff();
            while (interrupting) {
                backoff.pause();
            }
        }
    }

    /** Closes what an abandoned handler has used. The actor has gone on without this thread. */
    private void finishLate(StandInRun mine) {
        var left = mine.takeLeft();
        if (left != null) {
            Thread.interrupted();
            Termination.runHook(mine.cell, ClosingHook.of(left));
        }
        // mutant: scope-keeps-an-abandoned-handler-that-has-ended
        mine.cell.spec().scope().abandoned().remove(this);
    }

    // ---- Called by the handler, and by what it calls. ----

    @Override
    public boolean worksFor(Cell cell) {
        return current != null && current.cell == cell;
    }

    /** Returns whether a turn stands for the actor on this thread. */
    @Override
    public boolean isStoodForBy(Turn guest) {
        var mine = current;
        return mine != null && mine.guest == guest;
    }

    /** Returns whether the actor has gone on without this thread. */
    @Override
    public boolean isGone() {
        var mine = current;
        return mine != null && mine.isAbandoned();
    }

    /** Returns the answer whose deadline the handler has to keep. */
    @Override
    public @Nullable TimeLimit deadline() {
        return mine().deadline;
    }

    /** Sets the answer whose deadline the handler has to keep. */
    @Override
    public void deadline(@Nullable TimeLimit deadline) {
        mine().deadline = deadline;
    }

    private StandInRun mine() {
        var mine = current;
        if (mine == null) {
            throw new AssertionError("no handler is at work here");
        }
        return mine;
    }

    @Override
    public void beginInside() {
        StackReserve.require();
        if (!beginInsideIfHeld()) {
            throw refusal();
        }
    }

    @Override
    public boolean beginInsideIfHeld() {
        return mine().enter();
    }

    @Override
    public void endInside() {
        mine().leave();
    }

    /** Throws an exception if the actor has gone on without this thread. */
    @Override
    public void requireHeld() {
        if (isGone()) {
            throw refusal();
        }
    }

    private HandlerAbandonedException refusal() {
        var mine = mine();
        var nanos = mine.nanos();
        return new HandlerAbandonedException("actor '" + mine.cell.name()
                + "' has gone on without this thread, which began to work on a message of "
                + mine.message.getName() + " " + Durations.text(nanos)
                + " ago: it may send messages, but not act as the actor, nor wait for answers; let the handler end",
                mine.cell.name(), Duration.ofNanos(nanos));
    }

    @Override
    public boolean beginLoan() {
        stopListening();
        return Thread.interrupted();
    }

    @Override
    public void endLoan(boolean interrupted) {
        deaf = false;
        repeatMissed();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Records that the handler begins to wait by a method of the library. Such waits may be nested. */
    @Override
    public void beginWait() {
        if (waitsInside++ == 0) {
            tellTurn(true);
        }
    }

    @Override
    public void endWait() {
        if (--waitsInside == 0) {
            tellTurn(false);
        }
    }

    /** Parks this thread until it is unparked or interrupted, or for no reason. */
    @Override
    public void park(Object blocker) {
        beginWait();
        LockSupport.park(blocker);
        endWait();
    }

    private void tellTurn(boolean now) {
        var mine = mine();
        if (mine.cell.spec().placement().boundedPool()) {
            waits = now;
            mine.wakeTurn();
        }
    }
}
