package io.fibry.event;

/**
 * An actor on a bounded pool waits for room in a full mailbox, or in a scope with limits, and so holds a thread of the pool.
 * The pool adds a thread for that time.
 *
 * @param actor the waiting actor's name
 * @param target the name of the actor whose mailbox, or scope, is full
 */
public record PoolThreadBlocked(String actor, String target) implements ActorEvent {
}
