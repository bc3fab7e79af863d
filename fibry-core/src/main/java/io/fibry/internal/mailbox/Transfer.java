package io.fibry.internal.mailbox;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Front;
import io.fibry.internal.actor.Mailbox.Offer;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import org.jspecify.annotations.Nullable;

/**
 * Moves a node that was taken from the mailbox of an actor that has no turn to an actor that handles it. The message is
 * in no mailbox in between, so one thread has it.
 */
public final class Transfer {
    private Transfer() {
    }

    /** What became of a node. */
    public sealed interface Outcome {
        /** The actor has the message. */
        record Moved() implements Outcome {
        }

        /** The message was over, and is counted in the actor that it was taken from. */
        record Over() implements Outcome {
        }

        /**
         * The actor has ended.
         *
         * @param node the node, or another one for the same message
         */
        record Left(MessageNode node) implements Outcome {
        }
    }

    private static final Outcome MOVED = new Outcome.Moved();
    private static final Outcome OVER = new Outcome.Over();

    /** Gives a node to an actor, past the bound of its mailbox. The caller has checked its stack before it took the node. */
    public static Outcome give(MessageNode node, Cell from, Cell heir) {
        var content = node.isOver() ? null : node.content();
        if (content != null && hasEnded(heir)) {
            return new Outcome.Left(node);
        }
        var mine = content == null ? null : node.forHeir(heir);
        if (mine == null) {
            // mutant: message-that-is-over-is-not-counted-at-a-transfer
            from.lose(node, Cause.STOPPED_BEFORE_TURN, null);
            return OVER;
        }
        Offer offer; // no switch on its class: see StackReserve
        try {
            offer = isPutBack(mine, heir) ? Offer.QUEUED : heir.offerPastBound(mine);
        } catch (Throwable failure) {
            // Only memory that runs out is thrown here. The message is in no mailbox.
            from.lose(mine, Cause.STOPPED_BEFORE_TURN, failure);
            return OVER;
        }
        if (offer == Offer.WAKE) {
            // mutant: transfer-does-not-wake-the-actor
            heir.startAway(mine);
        }
        return offer == Offer.CLOSED ? new Outcome.Left(mine) : MOVED;
    }

    /**
     * Returns a node of an actor, whose turn handles it next; null if the message was over, which is counted in the
     * actor that it was taken from. The caller has checked its stack before it took the node.
     */
    public static @Nullable Node take(Node node, Cell from, Cell heir) {
        @Nullable Throwable why = null;
        try {
            var message = node instanceof MessageNode some && some.code() == null ? some : null;
            var mine = message == null || message.isOver() || message.content() == null ? null
                    : message.forHeir(heir);
            if (mine != null) {
                return mine;
            }
        } catch (Throwable failure) {
            why = failure; // only memory that runs out: the node still has the message
        }
        // mutant: message-that-is-over-is-not-counted-when-it-is-taken
        from.lose(node, Cause.STOPPED_BEFORE_TURN, why);
        return null;
    }

    /** Puts a message where the turn of the actor takes the next one, if the actor gives it to itself. */
    private static boolean isPutBack(MessageNode mine, Cell heir) {
        var turn = Current.turn();
        if (turn == null || turn.cell != heir || turn.isGuest() || !heir.isNewest(turn.last)) {
            return false;
        }
        var front = Front.inside(turn);
        if (!front.isEmpty()) {
            return false;
        }
        front.putBack(mine); // nothing is before it
        return true;
    }

    private static boolean hasEnded(Cell heir) {
        return heir.exitRequested() || heir.isStopping();
    }
}
