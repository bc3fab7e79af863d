package io.fibry.event;

/**
 * A bounded mailbox has reached its high-water mark. The event is sent again only after the mailbox has fallen to half of the
 * mark.
 *
 * @param actor the actor's name
 * @param depth how many messages wait
 * @param capacity how many messages may wait
 */
public record HighWater(String actor, int depth, int capacity) implements ActorEvent {
}
