package io.fibry.durable;

import io.fibry.durable.Journal.Handled;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Sent;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Tries;
import io.fibry.durable.Journal.Turn;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All that a {@link Journal} has of one key: for those who write a journal that keeps a key in one place. Not thread-safe.
 */
public final class KeyLog {
    private static final byte[] NONE = {};
    private static final byte VERSION = 2;

    private final TreeMap<Long, Turn> turns = new TreeMap<>();
    private final Map<String, Reminder> reminders = new HashMap<>();
    /** What was handled first comes first. */
    private final Map<UUID, Handled> handled = new LinkedHashMap<>();
    private @Nullable Snapshot snapshot;

    /** Makes an empty log. */
    public KeyLog() {
    }

    private long covered() {
        return snapshot == null ? 0 : snapshot.revision();
    }

    /**
     * Returns the newest revision.
     *
     * @return the revision; 0 if there is none
     */
    public long revision() {
        return turns.isEmpty() ? covered() : Math.max(covered(), turns.lastKey());
    }

    /**
     * Adds a turn, with its snapshot and its reminders, unless it is fenced.
     *
     * @param turn the turn
     * @return false if its revision is not the one after the newest; nothing was changed
     */
    public boolean add(Turn turn) {
        if (turn.revision() != revision() + 1) {
            return false;
        }
        turns.put(turn.revision(), row(turn, turn.outbox()));
        if (turn.deleted()) {
            reminders.clear();
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

    /**
     * Returns what an actor begins with.
     *
     * @return the newest snapshot, the turns after it, and what was handled
     */
    public Loaded loaded() {
        return new Loaded(Optional.ofNullable(snapshot),
                List.copyOf(turns.tailMap(covered(), false).values()),
                handled.values().stream().limit(Loaded.MOST_HANDLED + 1L)
                        .map(one -> new Handled(one.id(), one.at(), one.from(), NONE)).toList());
    }

    /**
     * Returns what is kept of a message.
     *
     * @param message the message
     * @return empty if nothing is kept
     */
    public Optional<Handled> handled(UUID message) {
        return Optional.ofNullable(handled.get(message));
    }

    /**
     * Returns when the oldest of the messages was handled of which something is kept.
     *
     * @return empty if nothing is kept of any message
     */
    public Optional<Instant> oldestHandled() {
        return handled.values().stream().map(Handled::at).min(Instant::compareTo);
    }

    /**
     * Deletes what is kept of messages that were handled before a time.
     *
     * @param before the time
     * @param most how many to delete at most
     * @param mayComeAgain tells whether a turn may send its messages again; what it has sent is kept
     * @return how many were deleted
     */
    public int expire(Instant before, int most, Predicate<Sent> mayComeAgain) {
        var old = handled.values().stream()
                .filter(one -> one.at().isBefore(before) && one.from().filter(mayComeAgain).isEmpty())
                .limit(most).map(Handled::id).toList();
        old.forEach(handled::remove);
        return old.size();
    }

    /**
     * Deletes what is kept of the oldest messages if it is kept of too many.
     *
     * @param most the number of messages of which something may be kept
     */
    public void keepHandled(int most) {
        for (var all = handled.values().iterator(); handled.size() > most && all.hasNext();) {
            all.next();
            all.remove();
        }
    }

    /**
     * Returns the turns that are there, those included that the snapshot covers.
     *
     * @return the turns, in the order of their revisions
     */
    public List<Turn> turns() {
        return List.copyOf(turns.values());
    }

    Optional<Turn> turn(long revision) {
        return Optional.ofNullable(turns.get(revision));
    }

    /**
     * Returns the turns whose outbox is not empty.
     *
     * @return the turns, in the order of their revisions
     */
    public List<Turn> unsent() {
        return turns.values().stream().filter(turn -> turn.outbox().length > 0).toList();
    }

    /**
     * Empties the outbox of a turn, if it is there.
     *
     * @param revision the turn
     */
    public void sent(long revision) {
        turns.computeIfPresent(revision, (same, turn) -> row(turn, NONE));
    }

    /**
     * Tells whether a turn has messages that were not sent.
     *
     * @param revision the turn
     * @return true if it has
     */
    public boolean isUnsent(long revision) {
        var turn = turns.get(revision);
        return turn != null && turn.outbox().length > 0;
    }

    /**
     * Keeps the tries of a reminder that have failed, if the reminder is there and has the same time.
     *
     * @param reminder the reminder
     */
    public void postpone(Reminder reminder) {
        reminders.computeIfPresent(reminder.name(),
                (name, now) -> now.at().equals(reminder.at()) ? now.with(reminder.tries()) : now);
    }

    /**
     * Returns the reminders.
     *
     * @return the reminders, in any order
     */
    public Collection<Reminder> reminders() {
        return List.copyOf(reminders.values());
    }

    /**
     * Returns a reminder.
     *
     * @param name name of the reminder
     * @return empty if there is none
     */
    public Optional<Reminder> reminder(String name) {
        return Optional.ofNullable(reminders.get(name));
    }

    /**
     * Deletes turns that the snapshot covers, that were handled before a time, and whose outbox is empty.
     *
     * @param before the time
     * @return how many were deleted
     */
    public int compact(Instant before) {
        int all = turns.size();
        turns.headMap(covered(), true).values()
                .removeIf(turn -> turn.outbox().length == 0 && turn.at().isBefore(before));
        return all - turns.size();
    }

    // ---- As bytes. ----

    /**
     * Returns this log as bytes, which {@link #read} reads.
     *
     * @return the bytes
     */
    public byte[] bytes() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeBoolean(snapshot != null);
            if (snapshot != null) {
                out.writeLong(snapshot.revision());
                write(out, snapshot.state());
            }
            out.writeInt(turns.size());
            for (var turn : turns.values()) {
                out.writeLong(turn.revision());
                out.writeLong(turn.at().toEpochMilli());
                write(out, turn.events());
                write(out, turn.outbox());
                out.writeBoolean(turn.deleted());
            }
            out.writeInt(reminders.size());
            for (var reminder : reminders.values()) {
                out.writeUTF(reminder.name());
                out.writeLong(reminder.at().toEpochMilli());
                out.writeLong(reminder.every().map(Duration::toMillis).orElse(0L));
                write(out, reminder.message());
                out.writeInt(reminder.tries().failed());
                out.writeLong(reminder.tries().next().toEpochMilli());
                out.writeUTF(reminder.tries().reason());
            }
            out.writeInt(handled.size());
            for (var message : handled.values()) {
                out.writeLong(message.id().getMostSignificantBits());
                out.writeLong(message.id().getLeastSignificantBits());
                out.writeLong(message.at().toEpochMilli());
                out.writeBoolean(message.from().isPresent());
                if (message.from().isPresent()) {
                    var from = message.from().get();
                    out.writeUTF(from.id().group());
                    out.writeUTF(from.id().key());
                    out.writeLong(from.revision());
                }
                write(out, message.answer());
            }
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /**
     * Reads a log.
     *
     * @param id the key
     * @param bytes what {@link #bytes} has returned, also in an earlier version
     * @return the log
     * @throws IllegalStateException if these bytes are something else
     */
    public static KeyLog read(Id id, byte[] bytes) {
        Objects.requireNonNull(id, "id");
        var log = new KeyLog();
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IOException(
                        "it has version " + version + ", and this version of Fibry knows " + VERSION);
            }
            if (in.readBoolean()) {
                log.snapshot = new Snapshot(in.readLong(), part(in));
            }
            for (int left = in.readInt(); left > 0; left--) {
                var turn = turn(id, in);
                log.turns.put(turn.revision(), turn);
            }
            for (int left = in.readInt(); left > 0; left--) {
                var reminder = reminder(id, in);
                log.reminders.put(reminder.name(), reminder);
            }
            for (int left = in.readInt(); left > 0; left--) {
                var message = handled(in);
                log.handled.put(message.id(), message);
            }
        } catch (IOException e) {
            throw new IllegalStateException("the log of " + id.group() + " " + id.key() + " cannot be read: "
                    + e.getMessage(), e);
        }
        return log;
    }

    private static byte[] part(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("a part of " + length + " bytes where " + in.available() + " are left");
        }
        return in.readNBytes(length);
    }

    private static Turn turn(Id id, DataInputStream in) throws IOException {
        long revision = in.readLong();
        var at = Instant.ofEpochMilli(in.readLong());
        var events = part(in);
        return new Turn(id, revision, at, events, List.of(), part(in), List.of(), Set.of(),
                Optional.empty(), in.readBoolean());
    }

    private static Reminder reminder(Id id, DataInputStream in) throws IOException {
        var name = in.readUTF();
        var at = Instant.ofEpochMilli(in.readLong());
        var every = Optional.of(in.readLong()).filter(millis -> millis > 0).map(Duration::ofMillis);
        return new Reminder(id, name, at, every, part(in),
                new Tries(in.readInt(), Instant.ofEpochMilli(in.readLong()), in.readUTF()));
    }

    private static Handled handled(DataInputStream in) throws IOException {
        var message = new UUID(in.readLong(), in.readLong());
        var at = Instant.ofEpochMilli(in.readLong());
        Optional<Sent> from = in.readBoolean()
                ? Optional.of(new Sent(new Id(in.readUTF(), in.readUTF()), in.readLong()))
                : Optional.empty();
        return new Handled(message, at, from, part(in));
    }
}
