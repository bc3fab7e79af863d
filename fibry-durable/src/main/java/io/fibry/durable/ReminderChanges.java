package io.fibry.durable;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The reminders that a turn of one actor sets, and those that it forgets. */
final class ReminderChanges {
    /** A thousand years. A store keeps times as milliseconds since 1970. */
    private static final Duration LONGEST = Duration.ofDays(365_250);
    private static final Instant LAST = Instant.EPOCH.plus(LONGEST.multipliedBy(2));
    private static final Instant FIRST = Instant.EPOCH.minus(LONGEST.multipliedBy(2));

    private final Id id;
    private final Map<String, Reminder> set = new LinkedHashMap<>();
    private final Set<String> forgotten = new LinkedHashSet<>();

    ReminderChanges(Id id) {
        this.id = id;
    }

    void check(String name, Duration every) {
        if (Objects.requireNonNull(every, "every").toMillis() < 1 || every.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "the reminder %s of %s %s is repeated after 1 ms at least, and %s at most: %s"
                            .formatted(name, id.group(), id.key(), LONGEST, every));
        }
    }

    void check(String name, Instant at) {
        Id.text("name of a reminder", name, Id.MOST_NAME);
        if (Objects.requireNonNull(at, "at").isAfter(LAST) || at.isBefore(FIRST)) {
            throw new IllegalArgumentException("the reminder %s of %s %s comes between %s and %s: %s"
                    .formatted(name, id.group(), id.key(), FIRST, LAST, at));
        }
    }

    void set(String name, Instant at, Optional<Duration> every, byte[] message) {
        var time = at.truncatedTo(ChronoUnit.MILLIS);
        forgotten.remove(name);
        set.put(name, new Reminder(id, name, time.isBefore(at) ? time.plusMillis(1) : time, every, message));
    }

    void forget(String name) {
        set.remove(Objects.requireNonNull(name, "name"));
        forgotten.add(name);
    }

    /** The turn that handles a reminder deletes it, or sets the next one, if the handler has not changed it. */
    void next(Reminder fired, Instant now) {
        if (set.containsKey(fired.name()) || forgotten.contains(fired.name())) {
            return;
        }
        if (fired.every().isEmpty()) {
            forgotten.add(fired.name());
            return;
        }
        var every = fired.every().get();
        long missed = Math.max(0, Duration.between(fired.at(), now).dividedBy(every));
        set.put(fired.name(), new Reminder(id, fired.name(), fired.at().plus(every.multipliedBy(missed + 1)),
                fired.every(), fired.message()));
    }

    void clear() {
        set.clear();
        forgotten.clear();
    }

    boolean isEmpty() {
        return set.isEmpty() && forgotten.isEmpty();
    }

    List<Reminder> set() {
        return List.copyOf(set.values());
    }

    Set<String> forgotten() {
        return Set.copyOf(forgotten);
    }
}
