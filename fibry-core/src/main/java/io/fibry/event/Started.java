package io.fibry.event;

/**
 * An actor was made.
 *
 * @param actor its name
 */
public record Started(String actor) implements ActorEvent {
}
