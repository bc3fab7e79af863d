package io.fibry.internal.abandon;

import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Layer;

/**
 * The limits after which an actor goes on without a handler that does not end.
 *
 * @param nanos how long a handler may work on one message before it is interrupted
 * @param graceNanos how long after the interrupt the handler is abandoned
 */
public record StuckLimit(long nanos, long graceNanos) implements Layer {
    /** A turn that waits for another thread must not hold up the actor below it. */
    @Override
    public boolean mayRunOnTop() {
        return false;
    }

    @Override
    public Behavior around(ActorSpec spec, Behavior inner) {
        return new StandInBehavior(spec, this, inner);
    }
}
