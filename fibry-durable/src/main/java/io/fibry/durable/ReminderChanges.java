package io.fibry.durable;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Reminder;
import io.fibry.time.Schedule;
import io.fibry.time.Schedule.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The reminders that a turn of one actor sets, and those that it forgets. */
final class ReminderChanges {
    /** A thousand years. A store keeps times as milliseconds since 1970. */
    private static final Duration LONGEST = Duration.ofDays(365_250);
    private static final Instant LAST = Instant.EPOCH.plus(LONGEST.multipliedBy(2));
    private static final Instant FIRST = Instant.EPOCH.minus(LONGEST.multipliedBy(2));

    private final Id id;
    /** What is set by a name, or that it is forgotten. There is no map of an actor that changes nothing. */
    private Map<String, Optional<Reminder>> changes = Map.of();

    ReminderChanges(Id id) {
        this.id = id;
    }

    /** Returns how a schedule repeats a reminder, as the store keeps it. */
    String every(String name, Schedule schedule) {
        var kind = Objects.requireNonNull(schedule, "schedule").kind();
        if (kind == Kind.FIXED_DELAY || (kind != Kind.ONCE && schedule.most() != Long.MAX_VALUE)) {
            throw refusal(name, "comes once, at a fixed rate or by the calendar, and not a number of times",
                    schedule);
        }
        if (schedule.delay().compareTo(LONGEST) > 0) {
            throw refusal(name, "comes after " + LONGEST + " at most", schedule.delay());
        }
        var period = schedule.period();
        if (kind == Kind.FIXED_RATE && (period.toMillis() < 1 || period.compareTo(LONGEST) > 0)) {
            throw refusal(name, "is repeated after 1 ms at least, and " + LONGEST + " at most", period);
        }
        return kind == Kind.FIXED_RATE ? period.truncatedTo(ChronoUnit.MILLIS).toString()
                : schedule.calendar();
    }

    private IllegalArgumentException refusal(String name, String why, Object value) {
        return new IllegalArgumentException(
                "the reminder %s of %s %s %s: %s".formatted(name, id.group(), id.key(), why, value));
    }

    void check(String name, Instant at) {
        Id.text("name of a reminder", name, Id.MOST_NAME);
        if (name.startsWith(Reminder.LETTER)) {
            throw refusal(name, "has a name that begins with another character than", "\\u001f");
        }
        checkTime("the reminder " + name + " of " + id.group() + " " + id.key(), at);
    }

    /** Refuses a time that a store cannot keep: it would fail all that is in the same transaction. */
    static void checkTime(String what, Instant at) {
        if (Objects.requireNonNull(at, "at").isAfter(LAST) || at.isBefore(FIRST)) {
            throw new IllegalArgumentException(
                    "the time of " + what + " is between " + FIRST + " and " + LAST + ", and not " + at);
        }
    }

    void set(String name, Instant at, String every, byte[] message) {
        var time = at.truncatedTo(ChronoUnit.MILLIS);
        change(name, Optional.of(
                new Reminder(id, name, time.isBefore(at) ? time.plusMillis(1) : time, every, message)));
    }

    void forget(String name) {
        check(name, FIRST);
        change(name, Optional.empty());
    }

    /** The turn that handles a reminder deletes it, or sets the next one, if the handler has not changed it. */
    void next(Reminder fired, Instant now) {
        if (!changes.containsKey(fired.name())) {
            change(fired.name(), after(fired, now));
        }
    }

    /** Returns a reminder with its next time, if it is repeated. Times that were missed are left out. */
    static Optional<Reminder> after(Reminder fired, Instant now) {
        return fired.every().isEmpty() ? Optional.empty()
                : Optional.of(new Reminder(fired.id(), fired.name(), timeAfter(fired, now), fired.every(),
                        fired.message()));
    }

    private static Instant timeAfter(Reminder fired, Instant now) {
        var last = fired.at();
        if (fired.every().startsWith("P")) {
            var every = Duration.parse(fired.every());
            return last
                    .plus(every.multipliedBy(1 + Math.max(0, Duration.between(last, now).dividedBy(every))));
        }
        // mutant: calendar-comes-again-where-the-clock-is-put-back
        return new Schedule(Kind.CALENDAR, Duration.ZERO, Optional.empty(), LONGEST, fired.every(),
                Long.MAX_VALUE)
                .next(now.isAfter(last) ? now : last).orElseThrow();
    }

    private void change(String name, Optional<Reminder> reminder) {
        changes = changes.isEmpty() ? new LinkedHashMap<>() : changes;
        changes.put(name, reminder);
    }

    void clear() {
        changes = Map.of();
    }

    boolean isEmpty() {
        return changes.isEmpty();
    }

    List<Reminder> set() {
        return changes.values().stream().flatMap(Optional::stream).toList();
    }

    Set<String> forgotten() {
        return changes.entrySet().stream().filter(change -> change.getValue().isEmpty())
                .map(Map.Entry::getKey).collect(Collectors.toUnmodifiableSet());
    }
}
