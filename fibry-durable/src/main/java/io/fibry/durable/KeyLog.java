package io.fibry.durable;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Loaded;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Snapshot;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All that a {@link Journal} has of one key: for those who write a journal that keeps a key in one place. Not thread-safe.
 */
public final class KeyLog {
    private static final byte[] NONE = {};
    private static final byte VERSION = 1;

    private final TreeMap<Long, Turn> turns = new TreeMap<>();
    private final Map<String, Reminder> reminders = new HashMap<>();
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
        turn.snapshot().ifPresent(kept -> snapshot = kept);
        return true;
    }

    private static Turn row(Turn turn, byte[] outbox) {
        return new Turn(turn.id(), turn.revision(), turn.at(), turn.events(), turn.messageId(), turn.answer(),
                outbox, List.of(), Set.of(), Optional.empty(), turn.deleted());
    }

    /**
     * Returns what an actor begins with.
     *
     * @return the newest snapshot and the turns after it
     */
    public Loaded loaded() {
        return new Loaded(Optional.ofNullable(snapshot),
                List.copyOf(turns.tailMap(covered(), false).values()));
    }

    /**
     * Returns the turns that are there, those included that the snapshot covers.
     *
     * @return the turns, in the order of their revisions
     */
    public List<Turn> turns() {
        return List.copyOf(turns.values());
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
                write(out, snapshot.ids());
            }
            out.writeInt(turns.size());
            for (var turn : turns.values()) {
                out.writeLong(turn.revision());
                out.writeLong(turn.at().toEpochMilli());
                write(out, turn.events());
                out.writeUTF(turn.messageId().orElse(""));
                write(out, turn.answer());
                write(out, turn.outbox());
                out.writeBoolean(turn.deleted());
            }
            out.writeInt(reminders.size());
            for (var reminder : reminders.values()) {
                out.writeUTF(reminder.name());
                out.writeLong(reminder.at().toEpochMilli());
                out.writeLong(reminder.every().map(Duration::toMillis).orElse(0L));
                write(out, reminder.message());
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
                log.snapshot = new Snapshot(in.readLong(), part(in), part(in));
            }
            for (int left = in.readInt(); left > 0; left--) {
                var turn = turn(id, in);
                log.turns.put(turn.revision(), turn);
            }
            for (int left = in.readInt(); left > 0; left--) {
                var reminder = reminder(id, in);
                log.reminders.put(reminder.name(), reminder);
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
        var messageId = Optional.of(in.readUTF()).filter(text -> !text.isEmpty());
        return new Turn(id, revision, at, events, messageId, part(in), part(in), List.of(), Set.of(),
                Optional.empty(), in.readBoolean());
    }

    private static Reminder reminder(Id id, DataInputStream in) throws IOException {
        var name = in.readUTF();
        var at = Instant.ofEpochMilli(in.readLong());
        var every = Optional.of(in.readLong()).filter(millis -> millis > 0).map(Duration::ofMillis);
        return new Reminder(id, name, at, every, part(in));
    }
}
