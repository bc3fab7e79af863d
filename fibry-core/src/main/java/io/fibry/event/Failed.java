package io.fibry.event;

import io.fibry.text.RecordText;
import java.util.Objects;
import java.util.Optional;

/**
 * Something of an actor threw: a handler, a body, an exit hook, or what was to make or to close what it works with.
 *
 * @param actor the actor's name; that of the scope for a resource of the scope
 * @param part what threw
 * @param message class of the message it handled; empty unless the part is {@link Part#HANDLER}
 * @param cause what was thrown
 */
public record Failed(String actor, Part part, Optional<Class<?>> message,
        Throwable cause) implements ActorEvent {
    /** What of an actor threw. */
    public enum Part {
        /** Its handler, on a message; or the state that was to be made for the message. */
        HANDLER,
        /** Its body. */
        BODY,
        /** What starts it: the factory that makes its handler, a group's member, or its strategy, which refused its body. */
        START,
        /** An exit hook. */
        EXIT_HOOK,
        /** The closing of its handler, of its state, or of a resource that it was given for that. */
        CLOSE,
        /** Its strategy's executor, when it was told of the actor's end. */
        EXECUTOR
    }

    /**
     * Makes an event.
     *
     * @param actor the actor's name
     * @param part what threw
     * @param message is there if, and only if, the part is {@link Part#HANDLER}
     * @param cause what was thrown
     * @throws IllegalArgumentException if there is a message and the part is another one, or the other way round
     */
    public Failed {
        Objects.requireNonNull(actor, "actor");
        Objects.requireNonNull(cause, "cause");
        if (message.isPresent() != (part == Part.HANDLER)) {
            throw new IllegalArgumentException(
                    "a handler, and nothing else, fails on a message; the part is " + part
                            + " and the message is " + message.map(Class::getName).orElse("none"));
        }
    }

    /**
     * A failure of a handler.
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
     * A failure of anything else.
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
                .with("cause", cause).toString();
    }
}
