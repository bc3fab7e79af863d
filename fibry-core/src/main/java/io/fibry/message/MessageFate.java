package io.fibry.message;

import io.fibry.Actor;
import io.fibry.ActorException;
import java.time.Duration;
import java.util.Objects;

/**
 * The fate of one message that was told. {@link Actor#sendTracked(Object)} returns a future of it. Each message meets
 * exactly one fate, the one for which the {@linkplain Actor#counters() counters} of the actor count it. An actor that passes
 * its messages on to workers counts them as handled by that; the fate is the one that the message meets at its worker.
 *
 * <p>When the fate is known, the message no longer holds a place of a mailbox or of a limit.
 *
 * <p>Fates are immutable.
 */
public sealed interface MessageFate {
    /** The handler has returned. Its reply, if the actor answers, was dropped. */
    record Handled() implements MessageFate {
    }

    /**
     * The handler has failed.
     *
     * @param cause what it has thrown
     */
    record Failed(Throwable cause) implements MessageFate {
        /**
         * Makes a fate.
         *
         * @param cause what the handler has thrown
         */
        public Failed {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /**
     * The message has waited for longer than its time to live, and was not handled.
     *
     * @see Actor#sendTracked(Object, Duration)
     */
    record Expired() implements MessageFate {
    }

    /**
     * A full mailbox, or a full scope, dropped the message by its policy.
     *
     * @param cause why the message was not handled
     * @param why the same as an exception with a text: what an asker would get
     */
    record Dropped(io.fibry.event.Undelivered.Cause cause, ActorException why) implements MessageFate {
    }

    /**
     * The message was not accepted: the actor had stopped, or there was no room.
     *
     * @param cause why the message was not handled
     * @param why the same as an exception with a text: what an asker would get
     */
    record Refused(io.fibry.event.Undelivered.Cause cause, ActorException why) implements MessageFate {
    }

    /**
     * The message was accepted, but the actor stopped, or could not be run, before its turn came.
     *
     * @param cause why the message was not handled
     * @param why the same as an exception with a text: what an asker would get
     */
    record Undelivered(io.fibry.event.Undelivered.Cause cause, ActorException why) implements MessageFate {
    }

    /**
     * Tells whether the message was handled.
     *
     * @return true if the handler has returned
     */
    default boolean isHandled() {
        return this instanceof Handled;
    }
}
