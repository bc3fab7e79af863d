package io.fibry.internal.actor;

import io.fibry.internal.run.Strategies;

/**
 * Submits a turn from a fiber, since its executor may run it at once. This is a class of its own, since a
 * lambda is linked when it is first used, which may be where little stack is left.
 *
 * @param turn the turn
 */
public record Submission(Turn turn) implements Runnable {
    /** Submits a turn from a thread that must not run handlers, or that runs one. */
    public static void fromAnywhere(Turn turn) {
        if (turn.cell.spec.placement.mayRunInPlace() || Current.turn() != null) {
            Strategies.FIBER_EXECUTOR.execute(new Submission(turn));
        } else {
            turn.cell.submit(turn);
        }
    }

    @Override
    public void run() {
        turn.cell.submit(turn);
    }
}
