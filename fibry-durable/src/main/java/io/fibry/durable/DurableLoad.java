package io.fibry.durable;

import io.fibry.durable.Journal.Reminder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is to be sent for a group, as the node sees it from outside: each number is written by the one actor that knows it. */
final class DurableLoad {
    /** How many that are parked are shown. */
    static final int SHOWN = 20;

    /** Keys with messages that are to be sent. Written by the outbox. */
    volatile int sending;
    /** Keys whose first message has failed. Written by the outbox. */
    volatile int failing;
    /** When the oldest turn that has messages was handled, as the last pass over the store has found it. Written by the outbox. */
    volatile Optional<Instant> oldest = Optional.empty();
    /** Reminders that are due, or will be soon. Written by the actor of the alarms. */
    volatile int soon;
    /** When the first of them was to come. Written by the actor of the alarms. */
    volatile Optional<Instant> first = Optional.empty();
    /** What is parked of the group, in all processes. Written by the outbox. */
    volatile int parked;
    /** Some of what is parked. Written by the outbox. */
    volatile List<Reminder> shown = List.of();
}
