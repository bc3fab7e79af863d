package io.fibry.event;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A handler works on one message for longer than its scope's {@link io.fibry.Watchdog} allows.
 *
 * @param actor the actor's name
 * @param message class of the message; empty if the actor is just being restarted or is ending, or nothing is known
 * @param runningFor for how long the handler has been seen to work on the message; it may be somewhat longer
 * @param stack what the handler is doing now; empty if it has just ended
 */
public record Stuck(String actor, Optional<Class<?>> message, Duration runningFor,
        List<StackTraceElement> stack) implements ActorEvent {
    @Override
    public String toString() {
        return RecordText.of(this).with("actor", actor).with("message", message)
                .with("runningFor", runningFor).with("stack", stack).toString();
    }
}
