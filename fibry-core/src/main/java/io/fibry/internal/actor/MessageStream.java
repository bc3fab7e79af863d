package io.fibry.internal.actor;

import io.fibry.event.Failed;
import org.jspecify.annotations.Nullable;

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
        var isStream = turn.messages >= BEGINS && !turn.answered;
        var feeder = feederOf(turn);
        if (feeder != null) {
            // An actor that waits before it asks for a message is not listed as idle: a sender that hands a message over to
            // an actor has more to do than one that leaves it in the shared mailbox.
            if (isStream) {
                await(turn, feeder);
                if (turn.hasNext()) {
                    return true;
                }
            }
            return isFed(turn);
        }
        if (isStream) {
            await(turn, null);
        }
        return isStream;
    }

    private static @Nullable Feeder feederOf(Turn turn) {
        var known = turn.extendedState;
        return known == null ? null : known.feeder;
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
            while (feeder.feed()) {
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
    private static void await(Turn turn, @Nullable Feeder feeder) {
        for (int look = 0; look < LOOKS && !turn.hasNext()
                && (feeder == null || !feeder.hasMessage()); look++) {
            for (int spin = 0; spin < SPINS; spin++) {
                Thread.onSpinWait();
            }
        }
    }
}
