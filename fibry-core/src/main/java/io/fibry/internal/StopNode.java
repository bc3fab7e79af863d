package io.fibry.internal;

import io.fibry.event.Stopped.Reason;

/**
 * Wakes the actor for its end. As a poison pill it also is the reason; after {@code askExit} the reason has
 * been set before, and the node only makes sure that a turn comes to see it.
 */
final class StopNode extends Node {
    private final Reason reason;

    StopNode(Reason reason) {
        this.reason = reason;
    }

    @Override
    void handle(Turn turn) {
        turn.cell.exit(reason);
        turn.skipped();
    }

    @Override
    void refused(Turn turn, Throwable why) {
        handle(turn); // stopping works whatever the strategy says
    }

    @Override
    boolean isControl() {
        return true;
    }
}
