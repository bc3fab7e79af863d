package io.fibry.durable;

import io.fibry.durable.Journal.Reminder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is to be sent for a group, as the node sees it from outside: each number is written by the one actor that knows it. */
final class GroupLoad {
    /** How many that are parked are shown. */
    static final int SHOWN = 20;

    /** Keys with messages that are to be sent. */
    volatile int sending;
    /** Keys whose first message has failed. */
    volatile int failing;
    /** When the oldest turn that has messages was handled, as the last pass over the store has found it. */
    volatile Optional<Instant> oldest = Optional.empty();
    /** Reminders that are due, or will be soon. */
    volatile int soon;
    /** When the first of them was to come. */
    volatile Optional<Instant> first = Optional.empty();
    /** What is parked of the group, in all processes. */
    volatile int parked;
    /** Some of what is parked. */
    volatile List<Reminder> shown = List.of();
}
