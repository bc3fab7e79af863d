package io.fibry.event;

import io.fibry.message.Envelope;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A part of an actor has thrown an exception: its handler, its body, an exit hook, or code that makes or closes what the
 * actor works with.
 *
 * @param actor the actor's name; that of the scope for a resource of the scope
 * @param part the part that threw
 * @param message class of the message that was handled; empty unless the part is {@link Part#HANDLER}
 * @param cause what was thrown
 * @param keptMessage the message that was handled, if the actor was built with {@link
 *     io.fibry.ActorBuilder#keepFailedMessages()}; empty otherwise. The text of this event does not show it.
 * @param sentBy the name of the actor that has sent the message, if {@code sentFrom} is known; empty if no actor has
 * @param sentFrom the stack of the message's sender, the sender itself first, without methods of this library and no more than
 *     a few, if the scope has {@link io.fibry.ScopeBuilder#senderSites} and remembers it of this message; empty otherwise
 * @param about what the message was about, if it was an {@link io.fibry.message.Envelope} that tells it; empty otherwise
 */
public record Failed(String actor, Part part, Optional<Class<?>> message, Throwable cause,
        Optional<Object> keptMessage, Optional<String> sentBy, List<StackTraceElement> sentFrom,
        Optional<String> about) implements ActorEvent {
    /** A part of an actor that can throw. */
    public enum Part {
        /** The handler, on a message; or the supplier that makes the state before the message. */
        HANDLER,
        /** The body of a receiving actor. */
        BODY,
        /** The start: the factory of the handler, the start of a group's member, or a strategy that refused the body. */
        START,
        /**
         * Code of a shared mailbox: the code of {@code takenBy}, which an actor calls, or that of {@code
         * whenWaiting}, which a sender calls.
         */
        IDLE,
        /** An exit hook. */
        EXIT_HOOK,
        /** The closing of the handler, of the state, or of a resource of {@code closeOnExit}. */
        CLOSE,
        /** The executor of the strategy, when it was told of the actor's end. */
        EXECUTOR
    }

    /**
     * Makes an event.
     *
     * @param actor the actor's name
     * @param part the part that threw
     * @param message is there if, and only if, the part is {@link Part#HANDLER}
     * @param cause what was thrown
     * @param keptMessage the message; may be there only if the part is {@link Part#HANDLER}
     * @param sentBy the actor that has sent the message; may be there only if the part is {@link Part#HANDLER}
     * @param sentFrom where the message was sent from; may be there only if the part is {@link Part#HANDLER}
     * @param about what the message was about; may be there only if the part is {@link Part#HANDLER}
     * @throws IllegalArgumentException if there is a message and the part is another one, or the other way round
     */
    public Failed {
        Objects.requireNonNull(actor, "actor");
        Objects.requireNonNull(cause, "cause");
        if (message.isPresent() != (part == Part.HANDLER)) {
            throw new IllegalArgumentException(
                    "a handler, and nothing else, fails on a message; the part is " + part
                            + " and the message is "
                            + (message.isPresent() ? message.get().getName() : "none"));
        }
        sentFrom = List.copyOf(sentFrom);
        if ((keptMessage.isPresent() || sentBy.isPresent() || !sentFrom.isEmpty() || about.isPresent())
                && part != Part.HANDLER) {
            throw new IllegalArgumentException(
                    "the failure of a handler alone has a message; the part is " + part);
        }
    }

    /**
     * Makes an event without the message that was handled.
     *
     * @param actor the actor's name
     * @param part the part that threw
     * @param message is there if, and only if, the part is {@link Part#HANDLER}
     * @param cause what was thrown
     */
    public Failed(String actor, Part part, Optional<Class<?>> message, Throwable cause) {
        this(actor, part, message, cause, Optional.empty(), Optional.empty(), List.of(), Optional.empty());
    }

    /**
     * Returns the same event with the sender of the message.
     *
     * @param sender the name of the actor that has sent the message; empty if it was sent outside of actors
     * @param stack where the message was sent from
     * @return the event
     */
    public Failed sent(Optional<String> sender, List<StackTraceElement> stack) {
        return new Failed(actor, part, message, cause, keptMessage, sender, stack, about);
    }

    /**
     * Returns the event for a message that may be an {@link Envelope}: with the class of the content, and with what it was
     * about. For any other message, and if a method of the envelope throws, the event is returned as it is.
     *
     * @param failedOn the message on which the handler has failed
     * @return the event
     */
    public Failed about(Object failedOn) {
        if (!(failedOn instanceof Envelope envelope)) {
            return this;
        }
        try {
            return new Failed(actor, part, Optional.of(envelope.content().getClass()), cause, keptMessage,
                    sentBy, sentFrom,
                    envelope.about());
        } catch (Throwable unreadable) {
            return this;
        }
    }

    /**
     * Makes the event of a failure of a handler, with the message.
     *
     * @param actor the actor's name
     * @param message the message
     * @param cause what was thrown
     * @return the event
     */
    public static Failed onKept(String actor, Object message, Throwable cause) {
        return new Failed(actor, Part.HANDLER, Optional.of(message.getClass()), cause, Optional.of(message),
                Optional.empty(), List.of(), Optional.empty());
    }

    /**
     * Makes the event of a failure of a handler.
     *
     * @param actor the actor's name
     * @param message class of the message
     * @param cause what was thrown
     * @return the event
     */
    public static Failed onMessage(String actor, Class<?> message, Throwable cause) {
        return new Failed(actor, Part.HANDLER, Optional.of(message), cause);
    }

    /**
     * Makes the event of a failure of another part.
     *
     * @param actor the actor's name
     * @param part what threw; not {@link Part#HANDLER}
     * @param cause what was thrown
     * @return the event
     */
    public static Failed in(Part part, String actor, Throwable cause) {
        return new Failed(actor, part, Optional.empty(), cause);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("actor", actor).with("part", part).with("message", message)
                .with("cause", cause).with("sentBy", sentBy).with("sentFrom", sentFrom).with("about", about)
                .toString();
    }
}
