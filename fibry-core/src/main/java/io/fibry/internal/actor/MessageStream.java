package io.fibry.internal.actor;

/**
 * How a turn waits for the next message of a stream of messages. That message is likely to come at once. To wait for it is
 * cheaper than to become idle and be started again, for the sender as well, and lets a batch build up.
 */
public final class MessageStream {
    /** The number of messages handled without a break after which a turn counts as being in a stream. */
    static final int BEGINS = 16;
    private static final int LOOKS = 4;
    /** The length of one wait: about a microsecond. */
    private static final int SPINS = 50;

    private MessageStream() {
    }

    /**
     * Waits for the next message for a moment. Between two looks this method leaves the last node alone: a thread that
     * reads a field which a sender is about to write makes that sender wait.
     */
    static void await(Turn turn) {
        for (int look = 0; look < LOOKS && !turn.hasNext(); look++) {
            for (int spin = 0; spin < SPINS; spin++) {
                Thread.onSpinWait();
            }
        }
    }
}
