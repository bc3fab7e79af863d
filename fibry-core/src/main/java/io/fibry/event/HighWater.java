package io.fibry.event;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A mailbox is long: its actor is slower than its senders, or is stuck.
 *
 * <p>A bounded mailbox has reached its {@linkplain io.fibry.MailboxPolicy.Bounded#highWater(int) high-water mark}. The
 * event is sent again only after the mailbox has fallen to half of the mark. If senders wait for room in the mailbox,
 * and the mark is its capacity, the event is for listeners only: without a listener it is not logged.
 *
 * <p>An unbounded mailbox has the marks 10,000, 100,000, and so on by tens. The event is sent again for a mark only after the
 * mailbox has fallen to half of it, and at most once a minute.
 *
 * @param actor the actor's name
 * @param depth how many messages wait; an estimate if the mailbox is unbounded
 * @param capacity how many messages may wait; empty if the mailbox is unbounded
 * @param message class of the message that came last; empty if its ask was cancelled or timed out, or if the mailbox is bounded
 * @param headAge for how long the first of them has waited at least; it may be much longer. Empty if the mailbox is
 *     bounded
 * @param stack what the actor is doing now; empty if nothing is known, or if the mailbox is bounded
 */
public record HighWater(String actor, int depth, OptionalInt capacity, Optional<Class<?>> message,
        Optional<Duration> headAge, List<StackTraceElement> stack) implements ActorEvent {
    @Override
    public String toString() {
        return RecordText.of(this).with("actor", actor).with("depth", depth).with("capacity", capacity)
                .with("message", message).with("headAge", headAge).with("stack", stack).toString();
    }
}
