package io.fibry.internal.abandon;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.TimeLimit;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.Carried;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The handling of one message by a {@link StandInThread} while a turn waits for it. Its state decides which of the
 * two may use the actor, and which of the two decides the outcome.
 *
 * <pre>
 *   state: GIVEN -> AWAITED       the turn: the time would be over, but the thread has not begun the handler
 *          GIVEN -> RUNNING       the thread: the handler begins, and so does its time
 *          AWAITED -> RUNNING     the same; the thread then wakes the turn
 *          RUNNING -> INSIDE      the thread: the handler uses what belongs to its actor
 *          INSIDE -> RUNNING      the thread, after that
 *          RUNNING -> ENDED       the thread: the handler has returned or thrown
 *          RUNNING -> ABANDONED   the turn: the grace is over
 *          INSIDE -> LEAVING      the turn, the same, but the thread has to finish that use first
 *          LEAVING -> ABANDONED   the thread, which has finished it and wakes the turn
 * </pre>
 *
 * <p>ENDED and ABANDONED are final. Both are reached by a CAS from the same state, or ABANDONED by the thread alone:
 * so there is one outcome. The turn waits for a thread that is INSIDE, so the state of the engine is never left half
 * changed. A thread that is not INSIDE when it is abandoned can never get there again.
 */
public final class StandInRun {
    /** The code that handles the message. */
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
    /** The turn that stands for the actor on the stand-in thread. */
    final Turn guest;
    final Class<?> message;
    private final Work work;
    private final Thread waiter;
    /** What is carried with the message, captured on the thread of the turn. */
    final @Nullable Carried carried;
    /** Written by the turn and the stand-in thread, by CAS or an exchange. */
    private volatile int state;
    /** When the handler began. Written by the thread before it sets {@code state} to RUNNING. */
    private long since;
    /**
     * What the stand-in thread closes when an abandoned handler has ended. Written by the turn, by CAS from
     * null; when the handler has ended, by the thread, which exchanges it for {@code NOTHING}. The second of
     * the two closes it.
     */
    private volatile @Nullable AutoCloseable left;

    // Used by the thread during the run, and by the turn before and after it.
    /** The answer whose deadline the handler has to keep. */
    @Nullable TimeLimit deadline;
    private int depth;
    private @Nullable Object result;
    private @Nullable Throwable failure;

    /** Makes a run. Called by the turn that then waits for it. */
    StandInRun(Cell cell, Turn guest, Class<?> message, Work work, @Nullable TimeLimit deadline) {
        this.cell = cell;
        this.guest = guest;
        this.message = message;
        this.work = work;
        this.deadline = deadline;
        carried = cell.spec().capture(null);
        waiter = Thread.currentThread();
    }

    // ---- Called by the stand-in thread. ----

    /** Begins the time of the handler, which is about to run. */
    void begin() {
        since = now();
        assert Interleave.here();
        if ((int) STATE.getAndSet(this, RUNNING) == AWAITED) {
            wakeTurn();
        }
    }

    private long now() {
        return cell.spec().scope().time().nanoTime();
    }

    /** Returns the time since the handler has begun. */
    long nanos() {
        return now() - since;
    }

    /** Runs the handler and records its outcome. */
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

    /** Records a failure of the engine around the handler. */
    void fail(Throwable thrown) {
        failure = thrown;
    }

    /** Ends the run, since the handler has ended; returns false if it was abandoned. */
    boolean end() {
        assert Interleave.here();
        // mutant: abandoned-handler-ends-like-any-other
        if (!STATE.compareAndSet(this, RUNNING, ENDED)) {
            return false;
        }
        // mutant: handler-that-ends-does-not-wake-the-turn
        wakeTurn();
        return true;
    }

    /** Enters the state INSIDE, since the handler is about to use its actor; returns false if it was abandoned. */
    boolean enter() {
        assert Interleave.here();
        if (depth > 0 || STATE.compareAndSet(this, RUNNING, INSIDE)) {
            depth++;
            return true;
        }
        return false;
    }

    /** Leaves the state INSIDE. */
    void leave() {
        assert Interleave.here();
        if (--depth == 0 && !STATE.compareAndSet(this, INSIDE, RUNNING)) {
            state = ABANDONED;
            // mutant: handler-that-leaves-does-not-wake-the-turn
            wakeTurn();
        }
    }

    void wakeTurn() {
        LockSupport.unpark(waiter);
    }

    /**
     * Returns the object that this thread has to close after an abandoned handler has ended; null if the turn has
     * not left one.
     */
    @Nullable AutoCloseable takeLeft() {
        return (AutoCloseable) LEFT.getAndSet(this, NOTHING);
    }

    // ---- Called by the turn. ----

    /** Returns whether the handler has not begun. In this case the thread wakes the turn when it begins. */
    boolean isToBegin() {
        assert Interleave.here();
        return state == AWAITED || STATE.compareAndSet(this, GIVEN, AWAITED);
    }

    /**
     * Abandons a handler that has begun, unless it has ended. Returns false if the turn has to wait until the thread
     * has left INSIDE; the thread then wakes the turn.
     */
    boolean abandon() {
        while (true) {
            assert Interleave.here();
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

    /**
     * Leaves an object to the thread, which closes it when the handler has ended; returns false if the handler has
     * ended already.
     */
    boolean leaveToClose(AutoCloseable closeable) {
        return LEFT.compareAndSet(this, (AutoCloseable) null, closeable);
    }

    boolean hasEnded() {
        return state == ENDED;
    }

    /** Returns whether the turn has abandoned the handler. Called by any thread. */
    boolean isAbandoned() {
        return state == ABANDONED;
    }

    /** Returns what the handler has returned, or throws what it has thrown. The handler has ended. */
    @Nullable Object outcome() {
        var thrown = failure;
        if (thrown == null) {
            return result;
        }
        throw StandInRun.<RuntimeException>asItIs(thrown);
    }

    private static void nothing() {
    }

    /** Throws a throwable without wrapping it, since handlers may throw what they have not declared. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException asItIs(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
