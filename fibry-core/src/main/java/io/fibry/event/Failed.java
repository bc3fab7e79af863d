package io.fibry.event;

import java.util.Optional;

/**
 * A handler, a body or an exit hook threw, or a handler or state could not be made.
 *
 * @param actor the actor's name
 * @param message class of the message it handled; empty for an exit hook, for a body and for what was to be made
 * @param cause what was thrown
 */
public record Failed(String actor, Optional<Class<?>> message, Throwable cause) implements ActorEvent {
}
