package io.fibry.event;

/**
 * A bounded mailbox has reached its high-water mark. The event is sent again only after the mailbox has fallen to half of the
 * mark. If senders wait for room in the mailbox, and the mark is its capacity, the event is for listeners only: without a listener it
 * is not logged.
 *
 * @param actor the actor's name
 * @param depth how many messages wait
 * @param capacity how many messages may wait
 */
public record HighWater(String actor, int depth, int capacity) implements ActorEvent {
}
