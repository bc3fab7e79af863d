package io.fibry.event;

import java.util.Optional;

/**
 * A handler, a body or an exit hook threw.
 *
 * @param actor the actor's name
 * @param message class of the message it handled; empty for an exit hook and for a body
 * @param cause what was thrown
 */
public record Failed(String actor, Optional<Class<?>> message, Throwable cause) implements ActorEvent {
}
