package io.fibry.internal.actor;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One of the actors that a {@link Holding} holds until its code has run. The turn of the actor reaches a piece of code
 * of the holding, then leaves the actor between two messages. The actor is busy from then on, so no sender starts a
 * turn. The turn that goes on later is kept here.
 *
 * <pre>
 *   rest: null -> Turn          the turn of the actor, by CAS, after it has left the actor: the actor is held
 *         null -> RELEASED      a thread that ends the holding, by exchange: the turn then does not leave, or goes on
 *         Turn -> RELEASED      a thread that ends the holding, by exchange. It submits the turn
 * </pre>
 *
 * <p>The holding is ended once, but {@link #release} may be called several times, by several threads. The exchange gives
 * the turn to one of them. So the actor goes on exactly once.
 *
 * <p>An actor that is to exit goes on. The turn first lists this object in the {@link Supervision} of the actor, then
 * looks for a request. A thread that asks for the end first records its request and then looks for this object. So one of
 * them sees the other, and ends the holding.
 */
final class HeldActor implements Recovery, Hold {
    private static final VarHandle REST = FieldAccess.of(MethodHandles.lookup(), "rest", Object.class);
    private static final Object RELEASED = "released";

    private final Holding<?> holding;
    final Handle<?, ?> cell;
    private final int number;
    private final HeldEdge edge;
    private volatile @Nullable Object rest;
    /** Whether the turn has left the actor. Written by the turn before it leaves, read by the turn that goes on. */
    private boolean hasLeft;

    HeldActor(Holding<?> holding, Handle<?, ?> cell, int number) {
        this.holding = holding;
        this.cell = cell;
        this.number = number;
        edge = new HeldEdge(holding);
    }

    /** Lets the calling turn leave the actor before its next message. Called by the code that the actor has reached. */
    void reach(Turn turn) {
        turn.extendedState();
        assert Interleave.here();
        cell.supervision().hold(this);
        assert Interleave.here();
        // mutant: actor-is-held-after-a-request-to-exit
        onExitRequest();
        turn.runBeforeNext(this);
    }

    @Override
    public boolean run(Turn turn) {
        if (hasLeft) {
            holding.tellFailure(turn);
            return true;
        }
        if (rest == RELEASED) {
            cell.supervision().endHold(this); // it was listed after the release
            return true;
        }
        hasLeft = true;
        var later = turn.leaveTo(this);
        holding.await(number + 1);
        cell.extendedState().publishEdge(edge);
        assert Interleave.here();
        // mutant: actor-is-held-after-its-release
        if (REST.compareAndSet(this, (Object) null, later)) {
            holding.take(number + 1);
        } else {
            goOn(later);
        }
        return false;
    }

    /** Lets the actor go on, if it is held, and keeps it from being held later. Called by any thread. */
    void release() {
        var before = REST.getAndSet(this, RELEASED);
        cell.supervision().endHold(this);
        if (before instanceof Turn later) {
            goOn(later);
        }
    }

    /** Submits the turn that goes on. No other turn runs, so this thread may remove the edge. */
    private void goOn(Turn later) {
        cell.extendedState().clearEdge();
        Submission.fromAnywhere(later);
    }

    @Override
    public boolean isWaiting() {
        return rest instanceof Turn && holding.hasAsked(number + 1);
    }

    @Override
    public void onExitRequest() {
        var extended = cell.extendedState();
        if (extended.exitReason() != null) {
            holding.onExitOf(cell, extended.forced);
        }
    }
}
