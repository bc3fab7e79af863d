package io.fibry.internal.actor;

import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.MailboxFullException;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.report.Fates;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The fate that a lost message counts for, and the exception that its asker gets. */
public final class Losses {
    private Losses() {
    }

    static Fates.Kind fate(Cause cause) {
        return switch (cause) {
            case STOPPED, CLOSING, OVERLOAD, FULL, BLOCK_TIMEOUT, BLOCK_CYCLE, SENDER_INTERRUPTED,
                    NO_SUCH_ACTOR, NOT_SERVED, NOT_UNDERSTOOD, SLOW_NODE ->
                Fates.Kind.REFUSED;
            case DROPPED_NEWEST, DROPPED_OLDEST -> Fates.Kind.DROPPED;
            case STOPPED_BEFORE_TURN, STRATEGY_REFUSED -> Fates.Kind.UNDELIVERED;
        };
    }

    /** Counts a message that was lost. */
    static void count(Cell cell, Object content, Cause cause) {
        var fate = fate(cause);
        // mutant: lost-message-is-not-counted
        cell.extendedState().lose(fate, cause);
        cell.spec.scope.fates().lose(fate, cause);
        remember(cell, content, cause);
    }

    /** Remembers a message that was counted, if it is one of the first. Only then does an anonymous actor get a name. */
    static void remember(Cell cell, Object content, Enum<?> why) {
        var fates = cell.spec.scope.fates();
        if (fates.isRemembering()) {
            fates.remember(cell.name(), content, why);
        }
    }

    /** Reports that a message was lost. */
    static void report(Cell cell, Object content, Cause cause) {
        if (!cell.spec.scope.events().leavesOut(content)) {
            cell.report(new Undelivered(cell.name(), content, cause));
        }
    }

    /** Returns whether a failed ask has failed because no handler has got its message. */
    public static boolean isLost(CompletableFuture<?> ask) {
        return ask instanceof Answer<?> answer && answer.isLost();
    }

    public static ActorException exception(Cell cell, Object message, Cause cause, @Nullable Throwable why) {
        if (why instanceof MailboxFullException full && cause != Cause.STRATEGY_REFUSED) {
            return full; // a limit of a scope was reached, not that of the mailbox
        }
        var what = what(message);
        var whom = whom(cell);
        return switch (cause) {
            case STOPPED -> new ActorStoppedException(
                    whom + " had stopped (" + cell.stopReason() + ") when " + what
                            + " was sent to it; make another actor");
            case CLOSING -> new ActorStoppedException(
                    "the scope of " + whom + " is being closed: only its own actors can send"
                            + " to it now, but " + what + " came from outside; send before the close begins");
            case OVERLOAD -> overload(cell, message, cause);
            case STOPPED_BEFORE_TURN -> new ActorStoppedException(
                    whom + " stopped (" + cell.stopReason() + ") while " + what + " waited for it"
                            + remedy(cell.extendedState().exitReason));
            case FULL, DROPPED_NEWEST, DROPPED_OLDEST -> new MailboxFullException("the mailbox of " + whom
                    + " is full (" + waiting(cell) + "): " + what + " was lost (" + cause
                    + "); send less, or build the actor with more room or another policy");
            case BLOCK_TIMEOUT -> new MailboxFullException("the mailbox of " + whom + " had no room in time ("
                    + waiting(cell) + ") for " + what
                    + "; send less, wait longer, or build the actor with more room");
            case BLOCK_CYCLE ->
                new MailboxFullException("the mailbox of " + whom + " is full, and the sender of "
                        + what + " cannot wait for room (" + waiting(cell)
                        + "): it is that actor, or that actor waits for it; build the actor with more room, or with a policy"
                        + " that does not block");
            case SENDER_INTERRUPTED -> new ActorException(
                    "the sender was interrupted while it waited for room for " + what + " at " + whom, why);
            case STRATEGY_REFUSED ->
                new ActorException("the executor of " + whom + " refused to run it, so "
                        + what + " was lost; is the executor shut down?", why);
            case NOT_SERVED, NOT_UNDERSTOOD, SLOW_NODE -> new ActorException(
                    what + " did not reach the node of " + whom + " (" + cause + ")", why);
            case NO_SUCH_ACTOR -> new ActorException("there is no " + whom + " in scope '"
                    + cell.spec.scope.name() + "' for " + what, why);
        };
    }

    /** Returns how messages that wait are handled before an end of this kind. */
    private static String remedy(@Nullable Reason why) {
        return why == Reason.EXIT
                ? "; a poison pill, as close sends it, lets an actor handle what waits before it ends"
                : why == Reason.FORCED ? "; give the stop a longer deadline" : "";
    }

    /** Returns how full the mailbox is. After an unstashAll more may wait than its capacity. */
    private static String waiting(Cell cell) {
        return Math.max(0, cell.mailboxSize() - cell.waitingBeside()) + " waiting, " + cell.spec.mailbox;
    }

    /** Returns the exception for a limit that is not the mailbox's. */
    public static MailboxFullException overload(Cell cell, Object message, Cause cause) {
        return new MailboxFullException(whom(cell) + " did not take " + what(message) + ": " + overload(cell)
                + switch (cause) {
                    case BLOCK_TIMEOUT -> ", and no place was free in time";
                    case BLOCK_CYCLE -> ", and an actor of that scope cannot wait for a place there";
                    default -> "";
                } + "; send less, or allow for more");
    }

    private static String what(Object message) {
        return "a message of " + ContentClass.nameOf(message);
    }

    private static String whom(Cell cell) {
        return "actor '" + cell.name() + "'";
    }

    /** Returns which limit was reached, for error messages. */
    private static String overload(Cell cell) {
        var budget = cell.spec.scope.budget();
        return budget == null ? "" : budget.toString();
    }
}
