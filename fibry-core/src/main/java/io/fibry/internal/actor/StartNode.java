package io.fibry.internal.actor;

/**
 * Makes the handler of a new actor, inside the actor and before its first message.
 */
public final class StartNode extends FirstNode {
    @Override
    public void handle(Turn turn) {
        turn.skipped();
        try {
            turn.behavior.begin(turn);
        } catch (Throwable failure) {
            turn.startFailed(failure);
        }
    }

    /** Reports the refusal as a failed start; the first message then tries again to make the handler. */
    @Override
    public void refused(Turn turn, Throwable why) {
        turn.skipped();
        turn.startFailed(why);
    }
}
