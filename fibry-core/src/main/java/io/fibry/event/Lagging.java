package io.fibry.event;

import java.time.Duration;

/**
 * The first message in a mailbox has waited for longer than its scope's {@link io.fibry.Watchdog} allows.
 *
 * @param actor the actor's name
 * @param depth how many messages wait; an estimate if the mailbox is unbounded
 * @param headAge for how long the first of them has been seen to wait; it may be somewhat longer
 */
public record Lagging(String actor, int depth, Duration headAge) implements ActorEvent {
}
