package io.fibry.internal.actor;

import io.fibry.event.Failed;
import org.jspecify.annotations.Nullable;

/**
 * What a turn does before it makes the actor idle. An actor that shares a mailbox with others looks there. In a stream
 * of messages the next one is likely to come at once: to wait for it is cheaper than to become idle and be started
 * again, for the sender as well, and lets a batch build up.
 */
public final class MessageStream {
    /** The number of messages handled without a break after which a turn counts as being in a stream. */
    static final int BEGINS = 16;
    private static final int LOOKS = 4;
    /** The length of one wait: about a microsecond. */
    private static final int SPINS = 50;

    private MessageStream() {
    }

    /** Returns the next message of an actor whose mailbox was empty a moment ago; null if there is none. */
    static @Nullable Object next(Turn turn) {
        var known = turn.extendedState;
        var source = known == null ? null : known.source;
        if (source != null) {
            var next = takeFrom(source, turn);
            if (next != null) {
                return next;
            }
        }
        if (turn.messages >= BEGINS && !turn.answered) {
            await(turn);
        }
        return turn.poll();
    }

    /**
     * Takes the next message from a shared mailbox, or one that another thread has handed over meanwhile. A message of
     * the actor's own that is about to be linked comes before: until it is handled, those behind it are not seen, and
     * the source is not to be told that there are none.
     */
    private static @Nullable Object takeFrom(MessageSource source, Turn turn) {
        while (true) {
            // mutant: unlinked-message-is-taken-for-none
            if (!turn.cell.isNewest(turn.last)) {
                return turn.poll();
            }
            var taken = turn.isRefused() ? null : taken(source, turn);
            if (taken != null) {
                return taken;
            }
            var looksAgain = looksAgain(source, turn);
            var own = turn.poll();
            if (own != null || !looksAgain) {
                return own;
            }
        }
    }

    /** Lets an actor that handles no more messages on this stack say that it is free; returns whether it was handed one. */
    static boolean isFed(Turn turn) {
        var known = turn.extendedState;
        var source = known == null ? null : known.source;
        if (known == null || source == null) {
            return false;
        }
        var goesOn = true;
        while (goesOn && turn.cell.isNewest(turn.last) && !isPassedOver(known)) {
            goesOn = looksAgain(source, turn);
        }
        return isPassedOver(known);
    }

    private static boolean isPassedOver(ExtendedState known) {
        var front = known.front;
        return front != null && !front.isEmpty();
    }

    private static @Nullable Object taken(MessageSource source, Turn turn) {
        try {
            return source.take(turn);
        } catch (Throwable failed) {
            report(turn, failed);
            return null;
        }
    }

    private static boolean looksAgain(MessageSource source, Turn turn) {
        try {
            return source.look();
        } catch (Throwable failed) {
            report(turn, failed);
            return false;
        }
    }

    private static void report(Turn turn, Throwable failed) {
        turn.cell.report(Failed.in(Failed.Part.IDLE, turn.cell.name(), failed));
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

    /** A mailbox that several actors share, as one of them uses it. Called by its turn, after all its own messages. */
    public interface MessageSource {
        /**
         * Takes the next message, which the turn handles at once. Until then no thread but this one knows the message,
         * and the actor is not idle.
         *
         * @return the message or its node; null if there is none, or if the actor is not to take one
         */
        @Nullable Object take(Turn turn);

        /** Calls the code for an actor that has no message; returns whether the actor is to look again. */
        boolean look();
    }
}
