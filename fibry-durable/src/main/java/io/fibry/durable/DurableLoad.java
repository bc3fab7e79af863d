package io.fibry.durable;

import io.fibry.durable.Journal.Reminder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What is to be sent for a group, as the node sees it from outside: each number is written by the one actor that knows it. */
final class DurableLoad {
    private static final int SHOWN = 20;

    /** Keys with messages that are to be sent. Written by the outbox. */
    volatile int sending;
    /** Keys whose first message has failed. Written by the outbox. */
    volatile int failing;
    /** When the oldest turn with messages was handled, by the last pass over the store. Written by the outbox. */
    volatile Optional<Instant> oldest = Optional.empty();
    /** Reminders that are due, or will be soon. Written by the actor of the alarms. */
    volatile int soon;
    /** When the first of them was to come. Written by the actor of the alarms. */
    volatile Optional<Instant> first = Optional.empty();
    /** What is parked of the group, in all processes. Written by the outbox, or by the worker of a queue. */
    volatile int parked;
    /** Some of what is parked. Written by the outbox, or by the worker of a queue. */
    private volatile List<Reminder> shown = List.of();

    void readParked(DurableStore store, String group) throws InterruptedException {
        parked = store.read(journal -> journal.countParked(group));
        shown = parked == 0 ? List.of() : store.parked(group, "", "", SHOWN);
    }

    void addParked(Reminder one) {
        int before = parked;
        parked = before + 1;
        if (shown.size() < SHOWN) {
            shown = Stream.concat(shown.stream(), Stream.of(one)).toList();
        }
    }

    /** Returns what is parked as rows of a dump. */
    List<List<String>> rows() {
        return shown.stream()
                .map(each -> List.of(
                        "parked: " + each.id().key() + " " + each.name().replace(Reminder.LETTER, "message "),
                        each.tries().failed() + " tries: " + each.tries().reason()))
                .toList();
    }

    static double seconds(Optional<Instant> since, Instant now) {
        return since.filter(now::isAfter).map(at -> Duration.between(at, now).toMillis() / 1e3).orElse(0.0);
    }
}
