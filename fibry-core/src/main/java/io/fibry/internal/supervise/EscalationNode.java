package io.fibry.internal.supervise;

import io.fibry.EscalatedException;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;

/** A node that makes a parent fail, since one of its children has failed and stopped. */
final class EscalationNode extends Signal {
    private final EscalatedException failure;

    EscalationNode(EscalatedException failure) {
        this.failure = failure;
    }

    @Override
    public void run(Turn turn) {
        turn.skipped();
        turn.othersFailed(failure);
    }

    @Override
    public Signal again() {
        return new EscalationNode(failure);
    }
}
