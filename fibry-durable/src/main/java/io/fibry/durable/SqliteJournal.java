package io.fibry.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the logs in a file of SQLite. One connection writes and one reads; the write-ahead log lets them work side by side.
 * A commit is durable when it returns, since the log is flushed for each ({@code synchronous=FULL}). SQLite lets one
 * transaction write at a time, so a commit sees every snapshot before it, and turns below a snapshot can be deleted at once.
 */
final class SqliteJournal implements Journal {
    private static final byte[] NONE = {};
    private static final String INSERT = """
            INSERT OR ABORT INTO fibry_turns(grp, key, rev, at, events, outbox)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?3 = 1 + max(
                coalesce((SELECT max(rev) FROM fibry_turns WHERE grp = ?1 AND key = ?2), 0),
                coalesce((SELECT rev FROM fibry_snapshots WHERE grp = ?1 AND key = ?2), 0))""";
    private static final String KEEP = """
            INSERT INTO fibry_snapshots(grp, key, rev, state, compacted) VALUES(?, ?, ?, ?, 0)
            ON CONFLICT(grp, key) DO UPDATE SET rev = excluded.rev, state = excluded.state, compacted = 0""";
    private static final String REMIND =
            "INSERT OR REPLACE INTO fibry_reminders(grp, key, name, at, every, message, failed, next, reason) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String NOTE =
            "INSERT OR REPLACE INTO fibry_handled(grp, key, id, at, answer, from_grp, from_key, from_rev) VALUES(?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String POSTPONE =
            "UPDATE fibry_reminders SET failed = ?, next = ?, reason = ? WHERE grp = ? AND key = ? AND name = ? AND at = ?";
    private static final String FORGET = "DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND name = ?";
    private static final String FORGET_ALL =
            "DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND name NOT GLOB char(31) || '*'";
    private static final String MARK_SENT =
            "UPDATE fibry_turns SET outbox = NULL WHERE grp = ? AND key = ? AND rev = ?";
    /**
     * The rows of a step of a compaction, in the order of the two indexes. The second one is not named by ORDER BY, or SQLite would read all turns of a key to
     * sort them; if it took them in another order, some would be left to the next compaction. To mark a snapshot writes it again, so its size counts.
     */
    static final String STEP =
            """
                    SELECT s.key, t.rev, t.at < ?5 AND t.outbox IS NULL AND (t.id < (SELECT max(id) FROM fibry_turns) OR NOT EXISTS(SELECT 1 FROM fibry_places))
                        AND t.id <= coalesce((SELECT min(place) FROM fibry_places WHERE grp = ?1), t.id), length(t.events), length(s.state)
                    FROM fibry_snapshots s INDEXED BY fibry_snapshots_new LEFT JOIN fibry_turns t ON t.grp = s.grp AND t.key = s.key AND t.rev <= s.rev
                        AND t.rev > CASE WHEN s.key = ?2 THEN ?3 ELSE 0 END
                    WHERE s.grp = ?1 AND s.compacted = 0 AND s.key >= ?2 AND NOT (s.key = ?2 AND ?3 = 9223372036854775807)
                    ORDER BY s.key LIMIT ?4""";
    private static final String DELETE = "DELETE FROM fibry_turns WHERE grp = ? AND key = ? AND rev = ?";
    private static final String MARK_COMPACTED =
            """
                    UPDATE fibry_snapshots SET compacted = 1 WHERE grp = ? AND key = ? AND compacted = 0 AND NOT EXISTS(
                        SELECT 1 FROM fibry_turns t WHERE t.grp = fibry_snapshots.grp AND t.key = fibry_snapshots.key
                            AND t.rev <= fibry_snapshots.rev)""";
    private static final String HANDLED =
            """
                    SELECT h.at, h.answer, g.name, h.from_key, h.from_rev FROM fibry_handled h LEFT JOIN fibry_groups g ON g.grp = h.from_grp
                    WHERE h.grp = ? AND h.key = ? AND h.id = ?""";
    private static final String EXPIRE =
            """
                    DELETE FROM fibry_handled WHERE grp = ?1 AND (key, id) IN (SELECT h.key, h.id FROM fibry_handled h
                        WHERE h.grp = ?1 AND h.at < ?2 AND NOT EXISTS(SELECT 1 FROM fibry_turns t
                            WHERE t.grp = h.from_grp AND t.key = h.from_key AND t.rev = h.from_rev AND t.outbox IS NOT NULL)
                            AND NOT EXISTS(SELECT 1 FROM fibry_reminders r WHERE r.grp = h.from_grp AND r.key = h.from_key
                                AND r.name GLOB char(31) || h.from_rev || '/*')
                        LIMIT ?3)""";
    private static final String PARK =
            "UPDATE fibry_turns SET outbox = ? WHERE grp = ? AND key = ? AND rev = ? AND outbox IS NOT NULL";
    private static final String DROP =
            "DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND name = ? AND at = ?";
    private static final String REVISION = """
            SELECT max(coalesce((SELECT max(rev) FROM fibry_turns WHERE grp = ?1 AND key = ?2), 0),
                coalesce((SELECT rev FROM fibry_snapshots WHERE grp = ?1 AND key = ?2), 0))""";

    private final StoreLock lock;
    private final Path file;
    private final Duration limit;
    private final SqliteSession writer;
    /** Each of its transactions sees one moment: a snapshot that is written between two statements would hide turns. */
    private final SqliteSession reader;
    private final Map<String, Integer> groups = new ConcurrentHashMap<>();

    private SqliteJournal(StoreLock lock, Path file, Duration limit) {
        this.lock = lock;
        this.file = file;
        this.limit = limit;
        writer = new SqliteSession(file, limit);
        reader = new SqliteSession(file, limit);
    }

    static SqliteJournal open(Path name, Duration limit) throws SQLException, IOException {
        var parent = name.toAbsolutePath().getParent();
        if (parent == null || !parent.toFile().isDirectory()) {
            throw new IllegalArgumentException(
                    "there is no folder for the store " + name + "; make it first");
        }
        if (name.toFile().isDirectory()) {
            throw new IllegalArgumentException(
                    "the store " + name + " is a folder; name a file in it, such as "
                            + name.resolve("bank.db"));
        }
        var file = SqliteFile.real(name);
        var journal = new SqliteJournal(StoreLock.of(file), file, limit);
        try {
            SqliteFile.requireOneName(file);
            boolean suspect = SqliteFile.mayHaveLostItsEnd(file);
            return journal.writer.run(connection -> {
                // mutant: end-of-a-file-is-not-looked-at
                if (suspect) {
                    SqliteFile.check(connection, file);
                }
                SqliteTables.make(connection, file);
                return journal;
            });
        } catch (Throwable e) { // also an error of the driver, which may have no native code for this system
            journal.lock.close();
            throw e;
        }
    }

    /** Returns what the connection that writes has set, for a test. */
    String setting(String pragma) throws SQLException {
        return writer.run(connection -> SqliteTables.first(connection, pragma));
    }

    @Override
    public Map<Id, Loaded> load(Collection<Id> ids) throws SQLException {
        return reader.run(connection -> {
            var snapshots = reader.prepared(connection,
                    "SELECT rev, state FROM fibry_snapshots WHERE grp = ? AND key = ?");
            var turns = reader.prepared(connection, "SELECT " + JournalRows.TURN
                    + " FROM fibry_turns WHERE grp = ? AND key = ? AND rev > ? ORDER BY rev");
            var handled = reader.prepared(connection,
                    "SELECT id, at FROM fibry_handled WHERE grp = ? AND key = ? LIMIT "
                            + (Loaded.MOST_HANDLED + 1));
            var found = new HashMap<Id, Loaded>();
            for (var id : ids) {
                var group = groupToRead(connection, id.group());
                if (group.isPresent()) {
                    load(id, group.get(), snapshots, turns, handled)
                            .ifPresent(loaded -> found.put(id, loaded));
                }
            }
            return found;
        });
    }

    private static Optional<Loaded> load(Id id, int group, PreparedStatement snapshots,
            PreparedStatement turns, PreparedStatement handled) throws SQLException {
        Optional<Snapshot> snapshot = Optional.empty();
        at(snapshots, group, id);
        try (var rows = snapshots.executeQuery()) {
            if (rows.next()) {
                snapshot = Optional.of(new Snapshot(rows.getLong(1), JournalRows.bytes(rows, 2)));
            }
        }
        at(turns, group, id);
        turns.setLong(3, snapshot.map(Snapshot::revision).orElse(0L));
        var after = JournalRows.turns(id.group(), turns);
        if (snapshot.isEmpty() && after.isEmpty()) {
            return Optional.empty();
        }
        var ids = new ArrayList<Handled>();
        at(handled, group, id);
        try (var rows = handled.executeQuery()) {
            while (rows.next()) {
                ids.add(new Handled(uuid(rows.getBytes(1)), Instant.ofEpochMilli(rows.getLong(2)),
                        Optional.empty(), NONE));
            }
        }
        return Optional.of(new Loaded(snapshot, after, ids));
    }

    private static UUID uuid(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        return new UUID(in.getLong(), in.getLong());
    }

    private static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits()).array();
    }

    private static void at(PreparedStatement statement, int group, Id id) throws SQLException {
        statement.setInt(1, group);
        statement.setString(2, id.key());
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) throws SQLException {
        return reader.run(connection -> {
            var find = reader.prepared(connection, REVISION);
            var found = new HashMap<Id, Long>();
            for (var id : ids) {
                var group = groupToRead(connection, id.group());
                if (group.isEmpty()) {
                    continue;
                }
                at(find, group.get(), id);
                try (var rows = find.executeQuery()) {
                    long revision = rows.next() ? rows.getLong(1) : 0;
                    if (revision > 0) {
                        found.put(id, revision);
                    }
                }
            }
            return found;
        });
    }

    @Override
    public BitSet commit(List<Turn> turns) throws SQLException {
        return writer.run(connection -> {
            var written = insert(connection, turns);
            for (int i = written.nextSetBit(0); i >= 0; i = written.nextSetBit(i + 1)) {
                addRest(connection, turns.get(i));
            }
            return written;
        });
    }

    private BitSet insert(Connection connection, List<Turn> turns) throws SQLException {
        // mutant: stale-writer-gets-in-below-a-snapshot, turn-of-another-writer-is-written-over, turn-is-written-behind-a-gap
        var insert = writer.prepared(connection, INSERT);
        var written = new BitSet(turns.size());
        var fenced = new HashSet<Id>();
        for (int i = 0; i < turns.size(); i++) {
            var turn = turns.get(i);
            if (!fenced.contains(turn.id())
                    && insert(insert, groupToWrite(connection, turn.id().group()), turn)) {
                written.set(i);
            } else {
                fenced.add(turn.id());
            }
        }
        return written;
    }

    private static boolean insert(PreparedStatement insert, int group, Turn turn) throws SQLException {
        at(insert, group, turn.id());
        insert.setLong(3, turn.revision());
        insert.setLong(4, turn.at().toEpochMilli());
        insert.setBytes(5, turn.events());
        insert.setBytes(6, turn.outbox().length == 0 ? null : turn.outbox());
        return insert.executeUpdate() == 1;
    }

    private void addRest(Connection connection, Turn turn) throws SQLException {
        int group = groupToWrite(connection, turn.id().group());
        if (turn.snapshot().isPresent()) {
            var snapshot = turn.snapshot().get();
            var keep = writer.prepared(connection, KEEP);
            at(keep, group, turn.id());
            keep.setLong(3, snapshot.revision());
            keep.setBytes(4, snapshot.state());
            keep.executeUpdate();
        }
        if (turn.deleted()) {
            var forgetAll = writer.prepared(connection, FORGET_ALL);
            at(forgetAll, group, turn.id());
            forgetAll.executeUpdate();
        }
        for (var name : turn.forgotten()) {
            var forget = writer.prepared(connection, FORGET);
            at(forget, group, turn.id());
            forget.setString(3, name);
            forget.executeUpdate();
        }
        for (var reminder : turn.reminders()) {
            remind(connection, group, reminder);
        }
        for (var message : turn.handled()) {
            var note = writer.prepared(connection, NOTE);
            at(note, group, turn.id());
            note.setBytes(3, bytes(message.id()));
            note.setLong(4, message.at().toEpochMilli());
            note.setBytes(5, message.answer());
            var from = message.from();
            note.setObject(6,
                    from.isPresent() ? groupToWrite(connection, from.get().id().group()) : null);
            note.setString(7, from.map(sender -> sender.id().key()).orElse(null));
            note.setObject(8, from.map(Sent::revision).orElse(null));
            note.executeUpdate();
        }
    }

    private void remind(Connection connection, int group, Reminder reminder) throws SQLException {
        JournalRows.set(writer.prepared(connection, REMIND), group, reminder).executeUpdate();
    }

    @Override
    public void park(Sent from, byte[] left, Reminder letter) throws SQLException {
        writer.run(connection -> {
            int group = groupToWrite(connection, from.id().group());
            var park = writer.prepared(connection, PARK);
            park.setBytes(1, left.length == 0 ? null : left);
            park.setInt(2, group);
            park.setString(3, from.id().key());
            park.setLong(4, from.revision());
            if (park.executeUpdate() == 1) {
                remind(connection, group, letter);
            }
            return true;
        });
    }

    @Override
    public void drop(Collection<Reminder> reminders) throws SQLException {
        writer.run(connection -> {
            var drop = writer.prepared(connection, DROP);
            for (var reminder : reminders) {
                at(drop, groupToWrite(connection, reminder.id().group()), reminder.id());
                drop.setString(3, reminder.name());
                drop.setLong(4, reminder.at().toEpochMilli());
                drop.executeUpdate();
            }
            return true;
        });
    }

    @Override
    public void erase(Id id, long revision) throws SQLException {
        writer.run(connection -> {
            int group = groupToWrite(connection, id.group());
            for (var sql : List.of("DELETE FROM fibry_handled WHERE grp = ? AND key = ?",
                    "DELETE FROM fibry_reminders WHERE grp = ? AND key = ?",
                    "DELETE FROM fibry_turns WHERE grp = ? AND key = ? AND rev < " + revision)) {
                try (var delete = connection.prepareStatement(sql)) {
                    at(delete, group, id);
                    delete.executeUpdate();
                }
            }
            return true;
        });
    }

    @Override
    public List<String> keys(String group, String prefix, String after, int most) throws SQLException {
        return reader.run(connection -> JournalRows.keys(connection, groupToRead(connection, group), prefix,
                after, most));
    }

    @Override
    public long count(String group, String prefix) throws SQLException {
        return reader
                .run(connection -> JournalRows.count(connection, groupToRead(connection, group), prefix));
    }

    @Override
    public List<Reminder> parked(String group, String key, String name, int most) throws SQLException {
        return ofGroup(group, "SELECT " + JournalRows.REMINDER
                + " FROM fibry_reminders WHERE grp = ? AND next = ? AND (key, name) > (?, ?) ORDER BY key, name LIMIT ?",
                query -> JournalRows.parked(query, group, key, name, most));
    }

    @Override
    public Follower follow(String name, Set<String> groupNames) throws SQLException {
        var numbers = writer.run(connection -> {
            var found = new HashMap<Integer, String>();
            for (var group : groupNames) {
                found.put(groupToWrite(connection, group), group);
            }
            return found;
        });
        return new SqlFollower(SqlFollower.Database.SQLITE, name, numbers, 0, new SqliteSession(file, limit));
    }

    @Override
    public void sent(Collection<Sent> turns) throws SQLException {
        writer.run(connection -> {
            var mark = writer.prepared(connection, MARK_SENT);
            for (var turn : turns) {
                at(mark, groupToWrite(connection, turn.id().group()), turn.id());
                mark.setLong(3, turn.revision());
                mark.addBatch();
            }
            return mark.executeBatch();
        });
    }

    @Override
    public List<Turn> unsent(String group, Slices slices, Position after, int most) throws SQLException {
        requireAll(slices);
        return ofGroup(group, "SELECT " + JournalRows.TURN
                + " FROM fibry_turns WHERE grp = ? AND outbox IS NOT NULL AND (key, rev) > (?, ?) ORDER BY key, rev LIMIT ?",
                query -> {
                    query.setString(2, after.key());
                    query.setLong(3, after.revision());
                    query.setInt(4, most);
                    return JournalRows.turns(group, query);
                });
    }

    @Override
    public void postpone(Collection<Reminder> reminders) throws SQLException {
        writer.run(connection -> {
            var postpone = writer.prepared(connection, POSTPONE);
            for (var reminder : reminders) {
                postpone.setInt(1, reminder.tries().failed());
                postpone.setLong(2, reminder.tries().next().toEpochMilli());
                postpone.setString(3, reminder.tries().reason());
                postpone.setInt(4, groupToWrite(connection, reminder.id().group()));
                postpone.setString(5, reminder.id().key());
                postpone.setString(6, reminder.name());
                postpone.setLong(7, reminder.at().toEpochMilli());
                postpone.executeUpdate();
            }
            return true;
        });
    }

    @Override
    public Map<Message, Handled> handled(Collection<Message> messages) throws SQLException {
        return reader.run(connection -> {
            var query = reader.prepared(connection, HANDLED);
            var found = new HashMap<Message, Handled>();
            for (var message : messages) {
                var group = groupToRead(connection, message.to().group());
                if (group.isPresent()) {
                    at(query, group.get(), message.to());
                    query.setBytes(3, bytes(message.id()));
                    try (var rows = query.executeQuery()) {
                        if (rows.next()) {
                            found.put(message, JournalRows.handled(message.id(), rows, 1));
                        }
                    }
                }
            }
            return found;
        });
    }

    @Override
    public int expire(String group, Instant before, int most) throws SQLException {
        return writer.run(connection -> {
            var expire = writer.prepared(connection, EXPIRE);
            expire.setInt(1, groupToWrite(connection, group));
            expire.setLong(2, before.toEpochMilli());
            expire.setInt(3, most);
            return expire.executeUpdate();
        });
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) throws SQLException {
        requireAll(slices);
        return ofGroup(group,
                "SELECT " + JournalRows.REMINDER
                        + " FROM fibry_reminders WHERE grp = ? AND next <= ? ORDER BY next LIMIT ?",
                query -> {
                    query.setLong(2, until.toEpochMilli());
                    query.setInt(3, most);
                    return JournalRows.reminders(group, query);
                });
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) throws SQLException {
        return ofGroup(id.group(),
                "SELECT " + JournalRows.REMINDER
                        + " FROM fibry_reminders WHERE grp = ? AND key = ? AND name = ?",
                query -> {
                    query.setString(2, id.key());
                    query.setString(3, name);
                    return JournalRows.reminders(id.group(), query);
                }).stream().findFirst();
    }

    /** The process that has a file has all slices. */
    private static void requireAll(Slices slices) {
        if (slices.numbers().size() != slices.of()) {
            throw new IllegalArgumentException("a file belongs to one process, which reads all slices, not "
                    + slices.numbers().size() + " of " + slices.of());
        }
    }

    @Override
    public boolean isForManyProcesses() {
        return false;
    }

    @Override
    public List<Turn> history(Id id, long after, int most) throws SQLException {
        return ofGroup(id.group(),
                "SELECT " + JournalRows.TURN
                        + " FROM fibry_turns WHERE grp = ? AND key = ? AND rev > ? ORDER BY rev LIMIT ?",
                query -> JournalRows.history(query, 2, id, after, most));
    }

    /** Reads what a group has, by a query whose first parameter is the number of the group. */
    private <T> List<T> ofGroup(String name, String sql, Read<T> read) throws SQLException {
        return reader.run(connection -> {
            var number = groupToRead(connection, name);
            if (number.isEmpty()) {
                return List.of();
            }
            var query = reader.prepared(connection, sql);
            query.setInt(1, number.get());
            return read.run(query);
        });
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) throws SQLException {
        return writer.run(connection -> {
            int number = groupToWrite(connection, group);
            var query = writer.prepared(connection, STEP);
            query.setInt(1, number);
            query.setString(2, from.key());
            query.setLong(3, from.revision());
            query.setInt(4, most);
            query.setLong(5, before.toEpochMilli());
            var step = CompactionStep.read(query, most);
            var delete = writer.prepared(connection, DELETE);
            for (var turn : step.old()) {
                at(delete, number, new Id(group, turn.key()));
                delete.setLong(3, turn.revision());
                delete.executeUpdate();
            }
            var mark = writer.prepared(connection, MARK_COMPACTED);
            for (var key : step.passed()) {
                at(mark, number, new Id(group, key));
                mark.executeUpdate();
            }
            return step.done();
        });
    }

    @Override
    public void close() throws IOException {
        try (lock; writer; reader) {
            // Each of them is closed, whatever the others throw.
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private int groupToWrite(Connection connection, String name) throws SQLException {
        var known = groups.get(name);
        if (known != null) {
            return known;
        }
        var make = writer.prepared(connection, "INSERT OR IGNORE INTO fibry_groups(name) VALUES(?)");
        make.setString(1, name);
        make.executeUpdate();
        // Not remembered: this transaction may be rolled back.
        return group(writer, connection, name).orElseThrow();
    }

    private Optional<Integer> groupToRead(Connection connection, String name) throws SQLException {
        var known = groups.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        // What another connection reads has been committed.
        var group = group(reader, connection, name);
        group.ifPresent(number -> groups.put(name, number));
        return group;
    }

    private static Optional<Integer> group(SqliteSession session, Connection connection, String name)
            throws SQLException {
        var find = session.prepared(connection, "SELECT grp FROM fibry_groups WHERE name = ?");
        find.setString(1, name);
        try (var rows = find.executeQuery()) {
            return rows.next() ? Optional.of(rows.getInt(1)) : Optional.empty();
        }
    }

    /** Sets the other parameters of a query, and reads what it finds. */
    private interface Read<T> {
        List<T> run(PreparedStatement query) throws SQLException;
    }
}
