package io.fibry.event;

/**
 * A message was accepted or offered, and not handled.
 *
 * @param actor the name of the actor it was meant for
 * @param message the message
 * @param cause why
 */
public record Undelivered(String actor, Object message, Cause cause) implements ActorEvent {
    @Override
    public String toString() {
        return RecordText.of(this).with("actor", actor).with("message", message).with("cause", cause)
                .toString();
    }

    /** Why a message was not handled. */
    public enum Cause {
        /** Offered to an actor that had stopped. */
        STOPPED,
        /** Queued when the actor stopped. */
        STOPPED_BEFORE_TURN,
        /** Offered from outside to an actor whose scope is being closed. */
        CLOSING,
        /** A limit of a scope was reached, or all bounded workers are busy and enough messages wait for them. */
        OVERLOAD,
        /** The mailbox was full and its policy refuses, or as many urgent messages waited as may wait. */
        FULL,
        /** The mailbox, or the scope, was full; this message was the newest and was dropped. */
        DROPPED_NEWEST,
        /** The mailbox was full; this message was the oldest and was dropped. */
        DROPPED_OLDEST,
        /** The sender had waited for room, in the mailbox or the scope, as long as it may. */
        BLOCK_TIMEOUT,
        /**
         * The wait for room might not have ended: the sender is, or waits for, the full actor, or is an actor of the
         * full scope.
         */
        BLOCK_CYCLE,
        /** The sender was interrupted while it waited for room. */
        SENDER_INTERRUPTED,
        /** The strategy's executor refused to run the actor. */
        STRATEGY_REFUSED,
        /** No actor has this name, and the message was not to be kept, or too many were. */
        NO_SUCH_ACTOR,
        /** Meant for another node of a cluster, while this node does not see the majority, or leaves or has left. */
        NOT_SERVED,
        /** Meant for another node of a cluster, which does not know its type or takes it for another key. */
        NOT_UNDERSTOOD,
        /** Meant for another node of a cluster, for which as much waits as may wait. */
        SLOW_NODE
    }
}
