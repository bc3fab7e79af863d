package io.fibry.event;

import java.time.Duration;

/**
 * An actor was restarted after a failure: its handler is new, and it goes on with the messages that wait.
 *
 * @param actor its name
 * @param restarts how often it has been restarted by now
 * @param cause the failure
 * @param pause how long it had waited before, zero without a back-off
 */
public record Restarted(String actor, int restarts, Throwable cause, Duration pause) implements ActorEvent {
}
