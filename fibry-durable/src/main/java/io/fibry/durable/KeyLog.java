package io.fibry.durable;

import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All that a {@link MemoryJournal} has of one key. Not thread-safe. */
final class KeyLog {
    private final TreeMap<Long, Turn> turns = new TreeMap<>();
    private final Map<String, Reminder> reminders = new HashMap<>();
    /** What was handled first comes first. */
    private final Map<UUID, Handled> handled = new LinkedHashMap<>();
    private @Nullable Snapshot snapshot;

    private long covered() {
        return snapshot == null ? 0 : snapshot.revision();
    }

    /** Returns the newest revision. */
    long revision() {
        return turns.isEmpty() ? covered() : Math.max(covered(), turns.lastKey());
    }

    /** Adds a turn, with its snapshot and its reminders. Returns false if it is fenced; nothing was changed then. */
    boolean add(Turn turn) {
        if (turn.revision() != revision() + 1) {
            return false;
        }
        turns.put(turn.revision(), row(turn, turn.outbox()));
        if (turn.deleted()) {
            reminders.values().removeIf(reminder -> !reminder.isLetter());
        }
        turn.forgotten().forEach(reminders::remove);
        turn.reminders().forEach(reminder -> reminders.put(reminder.name(), reminder));
        for (var message : turn.handled()) {
            handled.remove(message.id());
            handled.put(message.id(), message);
        }
        turn.snapshot().ifPresent(kept -> snapshot = kept);
        return true;
    }

    private static Turn row(Turn turn, byte[] outbox) {
        return new Turn(turn.id(), turn.revision(), turn.at(), turn.events(), List.of(), outbox, List.of(),
                Set.of(), Optional.empty(), turn.deleted());
    }

    /** Returns what an actor begins with. */
    Loaded loaded() {
        return new Loaded(Optional.ofNullable(snapshot),
                List.copyOf(turns.tailMap(covered(), false).values()),
                handled.values().stream().limit(Loaded.MOST_HANDLED + 1L)
                        .map(one -> new Handled(one.id(), one.at(), one.from(), Frames.NONE)).toList());
    }

    /** Returns what is kept of a message. */
    Optional<Handled> handled(UUID message) {
        return Optional.ofNullable(handled.get(message));
    }

    /** Deletes what is kept of messages that were handled before a time, except of those that may come again. */
    int expire(Instant before, int most, Predicate<Sent> mayComeAgain) {
        var old = handled.values().stream()
                .filter(one -> one.at().isBefore(before) && one.from().filter(mayComeAgain).isEmpty())
                .limit(most).map(Handled::id).toList();
        old.forEach(handled::remove);
        return old.size();
    }

    /** Returns the turns that are there, those included that the snapshot covers. */
    List<Turn> turns() {
        return List.copyOf(turns.values());
    }

    Optional<Turn> turn(long revision) {
        return Optional.ofNullable(turns.get(revision));
    }

    /** Sets the outbox of a turn; tells whether it had one. */
    boolean leave(long revision, byte[] outbox) {
        var before = turns.get(revision);
        if (before != null && before.outbox().length > 0) {
            turns.put(revision, row(before, outbox));
            return true;
        }
        return false;
    }

    void add(Reminder reminder) {
        reminders.put(reminder.name(), reminder);
    }

    void drop(Reminder reminder, Optional<Instant> next) {
        reminder(reminder.name()).filter(now -> now.at().equals(reminder.at())).ifPresent(now -> {
            reminders.remove(now.name());
            next.ifPresent(at -> add(new Reminder(now.id(), now.name(), at, now.every(), now.message())));
        });
    }

    boolean hasLetterOf(Sent turn) {
        return reminders.values().stream().anyMatch(reminder -> reminder.isLetterOf(turn));
    }

    /** Forgets the outboxes of the turns before a revision, the reminders, and what was handled. */
    void erase(long revision) {
        handled.clear();
        reminders.clear();
        turns.headMap(revision).replaceAll((number, turn) -> row(turn, new byte[0]));
    }

    /** Forgets some turns before a revision, the newest ones first. Returns where the next ones begin. */
    OptionalLong eraseBelow(long below, int most) {
        var last = turns.headMap(below, false).descendingMap().keySet().stream().limit(most).toList();
        turns.keySet().removeAll(Set.copyOf(last));
        return last.size() < most ? OptionalLong.empty() : OptionalLong.of(last.getLast());
    }

    /** Tells whether there are turns since the key was deleted. */
    boolean hasState() {
        return snapshot == null || snapshot.state().length > 0
                || (!turns.isEmpty() && turns.lastKey() > covered());
    }

    /** Tells whether a projection can be made of this key. */
    boolean isComplete() {
        if (snapshot == null || snapshot.state().length == 0) {
            return true;
        }
        long erased = turns.values().stream().filter(turn -> Arrays.equals(turn.events(), Frames.ERASED))
                .mapToLong(Turn::revision).max().orElse(1);
        return turns.subMap(erased, true, covered(), true).size() == covered() - erased + 1;
    }

    /** Keeps the failed tries of a reminder, if the reminder is there and has the same time. */
    void postpone(Reminder reminder) {
        reminders.computeIfPresent(reminder.name(),
                (name, now) -> now.at().equals(reminder.at()) ? now.with(reminder.tries()) : now);
    }

    /** Returns the reminders. */
    Collection<Reminder> reminders() {
        return List.copyOf(reminders.values());
    }

    /** Returns a reminder. */
    Optional<Reminder> reminder(String name) {
        return Optional.ofNullable(reminders.get(name));
    }

    /** Deletes turns that the snapshot covers, that were handled before a time, and whose outbox is empty. */
    int compact(Instant before, Predicate<Sent> isKept) {
        int all = turns.size();
        turns.headMap(covered(), true).values().removeIf(turn -> turn.outbox().length == 0
                && turn.at().isBefore(before) && !isKept.test(new Sent(turn.id(), turn.revision())));
        return all - turns.size();
    }
}
