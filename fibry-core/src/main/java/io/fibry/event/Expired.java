package io.fibry.event;

import java.time.Duration;

/**
 * A message was told with a time to live, and has waited for longer. It was not handled.
 *
 * @param actor the name of the actor it was meant for
 * @param message the message
 * @param timeToLive how long it was allowed to wait
 */
public record Expired(String actor, Object message, Duration timeToLive) implements ActorEvent {
    @Override
    public String toString() {
        return RecordText.of(this).with("actor", actor).with("message", message)
                .with("timeToLive", timeToLive)
                .toString();
    }
}
