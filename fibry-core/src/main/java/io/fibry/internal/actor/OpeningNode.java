package io.fibry.internal.actor;

/**
 * Keeps the mailbox of an actor busy while it is made: what others send meanwhile waits behind this. Its maker takes it away
 * again, or starts a turn with it.
 */
public final class OpeningNode extends FirstNode {
    @Override
    public void handle(Turn turn) {
        turn.skipped();
    }

    @Override
    public void refused(Turn turn, Throwable why) {
        turn.skipped();
    }
}
