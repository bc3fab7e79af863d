package io.fibry.event;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An unbounded mailbox has become very long: its actor is slower than its senders, or is stuck. The event is sent once when
 * 10,000 messages wait, once when 100,000 wait, and so on by tens. It is sent again for a number only after the mailbox has
 * fallen to half of that number, and at most once a minute.
 *
 * @param actor the actor's name
 * @param depth how many messages wait; an estimate
 * @param message class of the message that came last; empty if its ask was cancelled or timed out
 * @param headAge for how long the first of them has waited at least; it may be much longer
 * @param stack what the actor is doing now; empty if nothing is known
 */
public record Growing(String actor, int depth, Optional<Class<?>> message, Duration headAge,
        List<StackTraceElement> stack) implements ActorEvent {
    @Override
    public String toString() {
        return RecordText.of(this).with("actor", actor).with("depth", depth).with("message", message)
                .with("headAge", headAge).with("stack", stack).toString();
    }
}
