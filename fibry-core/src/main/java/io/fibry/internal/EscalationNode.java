package io.fibry.internal;

import io.fibry.EscalatedException;

/** A child has failed and stopped: its parent fails. */
final class EscalationNode extends Node {
    private final EscalatedException failure;

    EscalationNode(EscalatedException failure) {
        this.failure = failure;
    }

    @Override
    void handle(Turn turn) {
        turn.skipped();
        turn.childFailed(failure);
    }

    @Override
    void refused(Turn turn, Throwable why) {
        handle(turn);
    }

    @Override
    boolean isControl() {
        return true;
    }

    @Override
    Node again() {
        return new EscalationNode(failure);
    }
}
