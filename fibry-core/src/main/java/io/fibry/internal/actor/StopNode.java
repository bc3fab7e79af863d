package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;

/**
 * Wakes the actor for its end. As a poison pill it also is the reason; after {@code askExit} the reason has
 * been set before, and the node only makes sure that a turn comes to see it.
 */
public final class StopNode extends Node {
    private final Reason reason;

    public StopNode(Reason reason) {
        this.reason = reason;
    }

    @Override
    public void handle(Turn turn) {
        turn.cell.exit(reason);
        turn.skipped();
    }

    @Override
    public void refused(Turn turn, Throwable why) {
        handle(turn); // stopping works whatever the strategy says
    }

    @Override
    public boolean isControl() {
        return true;
    }
}
