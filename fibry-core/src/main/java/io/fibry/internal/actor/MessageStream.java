package io.fibry.internal.actor;

import io.fibry.event.Failed;

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

    /** Waits for another message if one is likely to come; returns whether there may be one. */
    static boolean mayGoOn(Turn turn) {
        if (isFed(turn)) {
            return true;
        }
        if (turn.messages < BEGINS || turn.answered) {
            return false;
        }
        await(turn);
        return true;
    }

    /** Calls what brings an actor further messages, if there is something; returns whether a message has come. */
    static boolean isFed(Turn turn) {
        var known = turn.extendedState;
        if (known == null) {
            return false;
        }
        var feeder = known.feeder;
        if (feeder == null) {
            return false;
        }
        try {
            while (feeder.getAsBoolean()) {
                // mutant: unlinked-message-is-not-seen-by-the-second-look
                if (!turn.cell.isNewest(turn.last) || isPassedOver(known)) {
                    return true;
                }
            }
        } catch (Throwable failed) {
            turn.cell.report(Failed.in(Failed.Part.IDLE, turn.cell.name(), failed));
        }
        return isPassedOver(known);
    }

    private static boolean isPassedOver(ExtendedState known) {
        var inbox = known.inbox;
        return inbox != null && inbox.hasPassedOver();
    }

    /**
     * Waits for the next message for a moment. Between two looks this method leaves the last node alone: a thread that
     * reads a field which a sender is about to write makes that sender wait.
     */
    private static void await(Turn turn) {
        for (int look = 0; look < LOOKS && !turn.hasNext(); look++) {
            for (int spin = 0; spin < SPINS; spin++) {
                Thread.onSpinWait();
            }
        }
    }
}
