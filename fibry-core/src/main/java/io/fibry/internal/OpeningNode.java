package io.fibry.internal;

/**
 * Keeps the mailbox of an actor busy while it is made: what others send meanwhile waits behind this. Its maker takes it away
 * again, or starts a turn with it.
 */
final class OpeningNode extends FirstNode {
    @Override
    void handle(Turn turn) {
        turn.skipped();
    }

    @Override
    void refused(Turn turn, Throwable why) {
        turn.skipped();
    }
}
