package io.fibry.internal.supervise;

import io.fibry.FailurePolicy;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Turn;
import org.jspecify.annotations.Nullable;

/** Decides by the policy of an actor what follows its failure. Used by the actor's turn. */
public final class FailureDecision {
    private FailureDecision() {
    }

    /**
     * Decides what follows a failure, and does it unless it is a restart. A restart has to come before the next
     * message, and only the turn knows when this is.
     *
     * @param atStart whether the handler could not be made
     * @param canGoOn whether there is a handler that could take the next message
     * @return the restart that has to follow, or null if there is none
     */
    public static @Nullable Restarting run(Turn turn, Throwable failure, boolean atStart, boolean canGoOn) {
        var cell = turn.cell;
        var policy = SupervisionState.policy(cell, failure); // no switch on its class: see StackReserve
        if (policy instanceof FailurePolicy.Stop) {
            cell.setExitReason(Reason.FAILURE);
        } else if (policy instanceof FailurePolicy.Escalate) {
            SupervisionState.of(turn).escalate(cell, failure);
        } else if (policy instanceof FailurePolicy.Restart restart) {
            if (!atStart || !cell.extendedState().isToEnd()
                    || !SupervisionState.of(turn).hasDoneNothing(cell)) {
                return new Restarting(failure, restart, atStart, turn.time().nanoTime(), null);
            }
            cell.setExitReason(Reason.FAILURE); // it has been asked to stop, and it cannot handle what is left
        } else if (!(policy instanceof FailurePolicy.Resume)) {
            throw new AssertionError(policy);
        } else if (!canGoOn) {
            cell.setExitReason(Reason.FAILURE);
        }
        return null;
    }
}
