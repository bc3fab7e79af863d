package io.fibry.internal.supervise;

import io.fibry.EscalatedException;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Turn;

/** A node that makes a parent fail, since one of its children has failed and stopped. */
final class EscalationNode extends Node {
    private final EscalatedException failure;

    EscalationNode(EscalatedException failure) {
        this.failure = failure;
    }

    @Override
    public void handle(Turn turn) {
        turn.skipped();
        turn.othersFailed(failure);
    }

    @Override
    public void refused(Turn turn, Throwable why) {
        handle(turn);
    }

    @Override
    public boolean isControl() {
        return true;
    }

    @Override
    public Node again() {
        return new EscalationNode(failure);
    }
}
