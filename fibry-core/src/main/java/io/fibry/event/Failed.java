package io.fibry.event;

import java.util.Optional;

/**
 * A handler or an exit hook threw.
 *
 * @param actor the actor's name
 * @param message class of the message it handled; empty for an exit hook or for the making of its state
 * @param cause what was thrown
 */
public record Failed(String actor, Optional<Class<?>> message, Throwable cause) implements ActorEvent {
}
