package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;

/**
 * Wakes the actor for its end. A poison pill sets the reason when a turn takes it. After {@code askExit}
 * the reason has been set before, and the node only ensures that a turn sees it.
 */
public final class StopNode extends Signal {
    private final Reason reason;

    public StopNode(Reason reason) {
        this.reason = reason;
    }

    @Override
    public void run(Turn turn) {
        turn.cell.setExitReason(reason);
        turn.skipped();
    }
}
