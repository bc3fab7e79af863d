package io.fibry.internal.abandon;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.TimedAnswer;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One message that a {@link StandInThread} works on while a turn waits for it: who may touch the actor meanwhile, and which of the
 * two says how it ends.
 *
 * <pre>
 *   state: GIVEN -> AWAITED       the turn: its time would be over, but the hand has not come to it
 *          GIVEN -> RUNNING       the hand: the handler begins, and so does its time
 *          AWAITED -> RUNNING     the same; the hand then wakes the turn
 *          RUNNING -> INSIDE      the hand: the handler calls what belongs to its actor
 *          INSIDE -> RUNNING      the hand, after that
 *          RUNNING -> ENDED       the hand: the handler has returned or thrown
 *          RUNNING -> ABANDONED   the turn: the grace is over
 *          INSIDE -> LEAVING      the turn, the same, but the hand is to finish that call
 *          LEAVING -> ABANDONED   the hand, which has finished it and wakes the turn
 * </pre>
 *
 * <p>ENDED and ABANDONED stay, and both are reached by a CAS from the same state or by the hand alone: so there is one
 * outcome. Who is INSIDE is waited for, so the engine is never left half-way; whoever is not can get there no more.
 */
public final class StandInRun {
    /** What is to be done. */
    interface Work {
        @Nullable Object run(Turn guest) throws Exception;
    }

    private static final int GIVEN = 0;
    private static final int AWAITED = 1;
    private static final int RUNNING = 2;
    private static final int INSIDE = 3;
    private static final int ENDED = 4;
    private static final int LEAVING = 5;
    private static final int ABANDONED = 6;
    private static final AutoCloseable NOTHING = StandInRun::nothing;
    private static final VarHandle STATE =
            FieldAccess.of(MethodHandles.lookup(), "state", int.class);
    private static final VarHandle LEFT =
            FieldAccess.of(MethodHandles.lookup(), "left", AutoCloseable.class);

    final Cell cell;
    /** Stands for the actor on the hand. */
    final Turn guest;
    final Class<?> message;
    private final Work work;
    private final Thread waiter;
    /** What goes with the message, captured where the turn runs. */
    final @Nullable Carried carried;
    private volatile int state;
    /** When the handler began. Written by the hand before {@code state} says so. */
    private long since;
    /** What is to be closed when an abandoned handler has ended; NOTHING once it has. */
    private volatile @Nullable AutoCloseable left;

    // Touched by the hand; by the turn before and after.
    /** What the handler has to end in time. */
    @Nullable TimedAnswer<?> deadline;
    private int depth;
    private @Nullable Object result;
    private @Nullable Throwable failure;

    /** By the turn that is to wait. */
    StandInRun(Cell cell, Turn guest, Class<?> message, Work work, @Nullable TimedAnswer<?> deadline) {
        this.cell = cell;
        this.guest = guest;
        this.message = message;
        this.work = work;
        this.deadline = deadline;
        carried = cell.spec().capture();
        waiter = Thread.currentThread();
    }

    // ---- By the hand. ----

    /** The handler is about to run. */
    void begin() {
        since = now();
        Interleave.here();
        if ((int) STATE.getAndSet(this, RUNNING) == AWAITED) {
            wakeTurn();
        }
    }

    private long now() {
        return cell.spec().scope().time().nanoTime();
    }

    /** For how long the handler has worked. It has begun. */
    long nanos() {
        return now() - since;
    }

    /** Runs what there is to run. */
    void run() {
        if (isAbandoned()) {
            return; // the thread was held up before it came to the handler, and the actor has gone on
        }
        try {
            result = work.run(guest);
        } catch (Throwable thrown) {
            failure = thrown;
        }
    }

    /** Something of ours has failed around the handler. */
    void fail(Throwable thrown) {
        failure = thrown;
    }

    /** The handler has ended; false if nobody waits for it any more. */
    boolean end() {
        Interleave.here();
        // mutant: abandoned-handler-ends-like-any-other
        if (!STATE.compareAndSet(this, RUNNING, ENDED)) {
            return false;
        }
        // mutant: handler-that-ends-does-not-wake-the-turn
        wakeTurn();
        return true;
    }

    /** The handler is about to touch its actor; false if that is not its actor any more. */
    boolean enter() {
        Interleave.here();
        if (depth > 0 || STATE.compareAndSet(this, RUNNING, INSIDE)) {
            depth++;
            return true;
        }
        return false;
    }

    /** It has. */
    void leave() {
        Interleave.here();
        if (--depth == 0 && !STATE.compareAndSet(this, INSIDE, RUNNING)) {
            state = ABANDONED;
            // mutant: handler-that-leaves-does-not-wake-the-turn
            wakeTurn();
        }
    }

    void wakeTurn() {
        LockSupport.unpark(waiter);
    }

    /** The abandoned handler has ended: what it had is to be closed here, if the turn has said so. */
    @Nullable AutoCloseable takeLeft() {
        return (AutoCloseable) LEFT.getAndSet(this, NOTHING);
    }

    // ---- By the turn. ----

    /** Whether the handler is still to begin: then the hand wakes the turn when it does. */
    boolean isToBegin() {
        Interleave.here();
        return state == AWAITED || STATE.compareAndSet(this, GIVEN, AWAITED);
    }

    /** Gives the handler up, which has begun, unless it has ended; false if that has to wait for the hand, which then wakes the turn. */
    boolean abandon() {
        while (true) {
            Interleave.here();
            var seen = state;
            if (seen == ENDED || seen == ABANDONED) {
                return true;
            }
            // mutant: ended-handler-is-abandoned
            if (seen == RUNNING && STATE.compareAndSet(this, RUNNING, ABANDONED)) {
                return true;
            }
            if (seen == LEAVING || STATE.compareAndSet(this, INSIDE, LEAVING)) {
                return false;
            }
        }
    }

    /** The hand is to close this when the handler has ended; false if it has ended. */
    boolean leaveToClose(AutoCloseable closeable) {
        return LEFT.compareAndSet(this, (AutoCloseable) null, closeable);
    }

    boolean hasEnded() {
        return state == ENDED;
    }

    /** Whether the outcome is known. By anyone. */
    boolean isAbandoned() {
        return state == ABANDONED;
    }

    /** What the handler has returned, or thrown. It has ended. */
    @Nullable Object outcome() {
        var thrown = failure;
        if (thrown == null) {
            return result;
        }
        throw StandInRun.<RuntimeException>asItIs(thrown);
    }

    private static void nothing() {
    }

    /** Handlers may throw what they have not declared: nothing of that is wrapped. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException asItIs(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
