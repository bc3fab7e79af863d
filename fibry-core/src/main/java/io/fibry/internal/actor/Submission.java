package io.fibry.internal.actor;

/**
 * Submits a turn from a fiber, since its executor may run it at once. This is a class of its own, since a
 * lambda is linked when it is first used, which may be where little stack is left.
 *
 * @param turn the turn
 */
public record Submission(Turn turn) implements Runnable {
    @Override
    public void run() {
        turn.cell.submit(turn);
    }
}
