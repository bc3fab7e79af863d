package io.fibry.event;

/**
 * A bounded mailbox reached its high-water mark. The next notice comes after it has fallen to half of it.
 *
 * @param actor the actor's name
 * @param depth how many messages wait
 * @param capacity how many may
 */
public record HighWater(String actor, int depth, int capacity) implements ActorEvent {
}
