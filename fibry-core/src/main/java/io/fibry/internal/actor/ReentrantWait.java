package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.InterruptibleWait;
import io.fibry.internal.run.Parking;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a reentrant actor for an answer. If an ask of the actor closes a cycle through this wait, the thread that waits
 * handles it, by {@link AskInside}, and then goes on waiting.
 *
 * <p>The thread that waits does all of this itself. Other threads only call it:
 *
 * <pre>
 *   waits     -> called    a thread that has found a cycle which this wait can resolve: it sets {@code isCalled} and unparks
 *   called    -> looks     the waiting thread clears {@code isCalled}, publishes its edge and looks for cycles through it
 *   looks     -> handles   it has found one that comes back by an ask of its actor which is still queued: it takes the edge
 *                          away and handles that ask
 *   handles   -> looks     the handler has ended
 *   looks     -> waits     there is no cycle, or another actor of the cycle was called
 *   any but handles -> over    the answer is complete, the time is over, or the thread was interrupted
 * </pre>
 *
 * <p><b>No ask is left in a cycle.</b> A thread publishes its edge and then looks, so the thread that publishes the last edge of
 * a cycle sees the whole of it. If the cycle can be resolved, this thread either handles an ask itself or calls one other
 * waiting thread, and waits. The caller sets {@code isCalled} after the edges of the cycle were published. The called thread
 * clears {@code isCalled} before it looks, and reads it before each park. So it sees all these edges, or it sees a later call.
 * If it finds no cycle, one of the waits was over, so there is none. If its own wait is over, it goes on, and the ask stays in
 * the mailbox. If its actor waits again before it has reached that ask, it publishes the last edge of a cycle and looks itself.
 *
 * <p><b>No other message is handled.</b> The waiting thread decides, by its own look. The ask is the last edge of a cycle that
 * begins with its own wait, and that a second look has found unchanged. As long as the wait is published, the actor handles
 * nothing, so an ask that is queued stays so, and {@link #isBegun} knows those that are not queued any more.
 *
 * <p>If several waits of a cycle can resolve it, a thread prefers its own. So a thread that was called does not call another
 * one in its place.
 */
public final class ReentrantWait {
    /** How many asks an actor handles inside one another. */
    static final int MOST_INSIDE = 64;

    final Turn turn;
    private final Thread thread = Thread.currentThread();
    private final Answer<?> awaited;
    /** What the handler that waits works on. */
    final @Nullable Object worksOn;
    /** The wait in the middle of which that handler runs; null if it runs in none. */
    final @Nullable ReentrantWait around;
    /** How many waits are around this one. */
    private final int depth;
    private volatile boolean isCalled;
    /** The ask to handle next. Accessed by the waiting thread only. */
    private @Nullable Answer<?> found;

    private ReentrantWait(Turn turn, Answer<?> awaited) {
        this.turn = turn;
        this.awaited = awaited;
        worksOn = turn.asked;
        around = turn.extendedState().waitsInside;
        depth = around == null ? 0 : around.depth + 1;
    }

    /**
     * Returns the wait of the turn of a reentrant actor; null if no message can be handled in the middle of it, since the turn
     * makes the handler, or runs code for which the actor is held.
     */
    static @Nullable ReentrantWait of(Turn turn, Answer<?> answer) {
        return turn.isGuest() || !turn.behavior.isStarted() || Current.holdOf(turn) != null
                ? null
                : new ReentrantWait(turn, answer);
    }

    /**
     * An edge of the actor. There is a new one each time that the wait is published, so a second look that finds the same edge
     * proves that it was there all the time.
     */
    private static final class Edge implements Waiting {
        final ReentrantWait wait;

        Edge(ReentrantWait wait) {
            this.wait = wait;
        }

        @Override
        public Cell target() {
            return wait.awaited.target();
        }

        @Override
        public boolean isOver() {
            return wait.awaited.isOver();
        }

        @Override
        public boolean dependsOnTarget() {
            return wait.awaited.dependsOnTarget();
        }
    }

    /** Returns a new edge. */
    Waiting edge() {
        return new Edge(this);
    }

    // ---- Cycles. ----

    /**
     * Sees to it that an actor of a cycle handles the ask by which the cycle comes to it. Returns false if no actor of the
     * cycle can do that. Called by any thread.
     *
     * @param cycle the edges, of which the last leads to the actor that the first comes from
     */
    static boolean resolves(List<Waiting> cycle) {
        var size = cycle.size();
        for (int i = 0; i < size; i++) {
            var ask = cycle.get((i + size - 1) % size);
            if (cycle.get(i) instanceof Edge edge && edge.wait.canHandle(ask)) {
                edge.wait.call(ask);
                return true;
            }
        }
        return false;
    }

    /** Returns what keeps the actors of a cycle from resolving it, if one of them is at its limit; otherwise an empty text. */
    static String limitOf(List<Waiting> cycle) {
        for (var edge : cycle) {
            if (edge instanceof Edge mine && mine.wait.depth >= MOST_INSIDE) {
                return ", where '" + mine.wait.turn.cell.name() + "' already handles " + MOST_INSIDE
                        + " asks inside one another; check that the asks come to an end";
            }
        }
        return "";
    }

    private boolean canHandle(Waiting edge) {
        var ask = answerOf(edge);
        // mutant: ask-that-has-begun-is-handled-again
        return ask != null && depth < MOST_INSIDE && ask.node() instanceof AskNode node
                && node.cell() == turn.cell
                && !isBegun(ask);
    }

    /** Returns the ask for whose answer an edge waits, if it does. */
    static @Nullable Answer<?> answerOf(Waiting edge) {
        var awaited = edge instanceof Edge mine ? mine.wait.awaited : edge;
        return awaited instanceof Answer<?> answer ? answer.origin() : null;
    }

    /** Returns whether the handler that waits, or one of those around it, works on this ask. */
    private boolean isBegun(Answer<?> ask) {
        for (var wait = this; wait != null; wait = wait.around) {
            if (wait.worksOn == ask) {
                return true;
            }
        }
        return false;
    }

    private void call(Waiting edge) {
        if (Thread.currentThread() == thread) {
            found = answerOf(edge);
            return;
        }
        // mutant: waiting-actor-is-not-called
        isCalled = true;
        LockSupport.unpark(thread);
    }

    // ---- The wait. ----

    /** Waits without a limit until the answer is complete, if the actor is reentrant. */
    static void await(@Nullable ReentrantWait inside) throws InterruptedException {
        if (inside != null) {
            inside.await(Long.MAX_VALUE);
        }
    }

    /** As the other method of this name, also if the thread is interrupted. Restores the interrupt flag then. */
    static void awaitUninterrupted(@Nullable ReentrantWait inside) {
        if (inside != null) {
            new Unlimited(inside).awaitUninterrupted();
        }
    }

    private record Unlimited(ReentrantWait inside) implements InterruptibleWait {
        @Override
        public boolean await() throws InterruptedException {
            return inside.await(Long.MAX_VALUE);
        }
    }

    /** Waits for an answer with a limit. */
    <T extends @Nullable Object> T awaitFor(Answer<T> mine, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!await(nanos)) {
            throw new TimeoutException();
        }
        return mine.await();
    }

    /**
     * Waits until the answer is complete, and handles what closes a cycle meanwhile; returns false if the time was over
     * first.
     */
    boolean await(long nanos) throws InterruptedException {
        var over = new WaitLimit();
        var unused =
                CompletableFuture.anyOf(awaited.toCompletableFuture(), over).whenComplete(new WakeUp(thread));
        try (var alarm = new Alarm(turn.time(), nanos)) {
            while (!awaited.isDone()) {
                if (mustLook()) {
                    look();
                } else if (alarm.hasRung()) {
                    return false;
                } else if (Thread.interrupted()) {
                    throw new InterruptedException();
                } else {
                    Parking.park(this);
                }
            }
            return true;
        } finally {
            over.complete(null); // removes what anyOf has added to the answer
        }
    }

    private record WakeUp(Thread thread) implements BiConsumer<@Nullable Object, @Nullable Throwable> {
        @Override
        public void accept(@Nullable Object value, @Nullable Throwable failure) {
            LockSupport.unpark(thread);
        }
    }

    /** Returns whether {@link #look} is to be called before the thread parks. Called by the waiting thread. */
    boolean mustLook() {
        return found != null || isCalled;
    }

    /** Handles an ask that closes a cycle, if there is one. Called by the waiting thread. */
    void look() {
        // mutant: call-during-a-look-is-lost
        isCalled = false;
        assert Interleave.here();
        var ask = found;
        found = null;
        if (ask != null) {
            new AskInside(this).handle(ask);
        }
        try {
            WaitGraph.publish(turn, edge());
        } catch (AskCycleException e) {
            awaited.failAsk(e);
            throw e;
        }
    }
}
