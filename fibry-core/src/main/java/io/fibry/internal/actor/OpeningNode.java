package io.fibry.internal.actor;

/**
 * Keeps the mailbox of an actor busy while the actor is made: nodes that other threads send in the meantime
 * wait behind this one. The maker of the actor removes it again, or starts a turn with it.
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
