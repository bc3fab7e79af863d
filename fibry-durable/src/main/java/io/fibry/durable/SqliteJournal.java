package io.fibry.durable;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
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
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the logs in a file of SQLite. One connection writes and one reads; the write-ahead log lets them work side by side.
 * A commit is durable when it returns, since the log is flushed for each ({@code synchronous=FULL}). SQLite lets one
 * transaction write at a time, so a commit sees every snapshot before it, and turns below a snapshot can be deleted at once.
 */
final class SqliteJournal implements Journal {
    private final StoreLock lock;
    private final Connection writer;
    private final Connection reader;
    private final Map<String, Integer> groups = new ConcurrentHashMap<>();
    private final PreparedStatement insert;
    private final PreparedStatement keep;
    private final PreparedStatement remind;
    private final PreparedStatement forget;
    private final PreparedStatement forgetAll;
    private final PreparedStatement markSent;

    private SqliteJournal(StoreLock lock, Connection writer, Connection reader) throws SQLException {
        this.lock = lock;
        this.writer = writer;
        this.reader = reader;
        // mutant: stale-writer-gets-in-below-a-snapshot, turn-of-another-writer-is-written-over, turn-is-written-behind-a-gap
        insert = writer.prepareStatement("""
                INSERT OR ABORT INTO fibry_turns(grp, key, rev, at, events, message_id, answer, outbox)
                SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE ?3 = 1 + max(
                    coalesce((SELECT max(rev) FROM fibry_turns WHERE grp = ?1 AND key = ?2), 0),
                    coalesce((SELECT rev FROM fibry_snapshots WHERE grp = ?1 AND key = ?2), 0))""");
        keep = writer.prepareStatement(
                """
                        INSERT INTO fibry_snapshots(grp, key, rev, state, ids, compacted) VALUES(?, ?, ?, ?, ?, 0)
                        ON CONFLICT(grp, key) DO UPDATE SET rev = excluded.rev, state = excluded.state, ids = excluded.ids,
                            compacted = 0""");
        remind = writer.prepareStatement(
                "INSERT OR REPLACE INTO fibry_reminders(grp, key, name, at, every, message) VALUES(?, ?, ?, ?, ?, ?)");
        forget = writer
                .prepareStatement("DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND name = ?");
        forgetAll = writer.prepareStatement("DELETE FROM fibry_reminders WHERE grp = ? AND key = ?");
        markSent = writer.prepareStatement(
                "UPDATE fibry_turns SET outbox = NULL WHERE grp = ? AND key = ? AND rev = ?");
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
        var lock = StoreLock.of(file);
        var opened = new ArrayList<Connection>();
        try {
            SqliteFile.requireOneName(file);
            boolean suspect = SqliteFile.mayHaveLostItsEnd(file);
            var writer = connect(file, limit, opened);
            // mutant: end-of-a-file-is-not-looked-at
            if (suspect) {
                SqliteFile.check(writer, file);
            }
            writer.setAutoCommit(false);
            var reader = connect(file, limit, opened);
            SqliteTables.make(writer, file);
            return new SqliteJournal(lock, writer, reader);
        } catch (Throwable e) { // also an error of the driver, which may have no native code for this system
            for (var connection : opened) {
                try {
                    connection.close();
                } catch (SQLException also) {
                    e.addSuppressed(also);
                }
            }
            lock.close();
            throw e;
        }
    }

    private static Connection connect(Path file, Duration limit, List<Connection> opened)
            throws SQLException {
        var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        opened.add(connection);
        try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout=" + limit.toMillis());
            statement.execute("PRAGMA journal_mode=WAL");
            statement.execute("PRAGMA synchronous=FULL");
            statement.execute("PRAGMA wal_autocheckpoint=8000");
            statement.execute("PRAGMA cache_size=-65536");
        }
        require(connection, "PRAGMA journal_mode", "wal", file);
        require(connection, "PRAGMA synchronous", "2", file);
        // mutant: file-is-not-flushed-at-a-commit
        return connection;
    }

    private static void require(Connection connection, String pragma, String value, Path file)
            throws SQLException {
        var found = SqliteTables.first(connection, pragma);
        if (!value.equalsIgnoreCase(found)) {
            throw new SQLException("the store " + file + " would not be durable: " + pragma + " is " + found
                    + " and not " + value + "; is the file on a network drive?");
        }
    }

    /** Returns what the connection that writes has set, for a test. */
    String setting(String pragma) throws SQLException {
        return SqliteTables.first(writer, pragma);
    }

    @Override
    public Map<Id, Loaded> load(Collection<Id> ids) throws SQLException {
        var found = new HashMap<Id, Loaded>();
        // Both statements see the same moment: a snapshot that is written between them would hide turns.
        reader.setAutoCommit(false);
        try (var snapshots = reader
                .prepareStatement("SELECT rev, state, ids FROM fibry_snapshots WHERE grp = ? AND key = ?");
                var turns = reader.prepareStatement(
                        "SELECT " + JournalRows.TURN
                                + " FROM fibry_turns WHERE grp = ? AND key = ? AND rev > ? ORDER BY rev")) {
            for (var id : ids) {
                var group = groupToRead(id.group());
                if (group.isPresent()) {
                    load(id, group.get(), snapshots, turns).ifPresent(loaded -> found.put(id, loaded));
                }
            }
        } finally {
            reader.rollback();
            reader.setAutoCommit(true);
        }
        return found;
    }

    private static Optional<Loaded> load(Id id, int group, PreparedStatement snapshots,
            PreparedStatement turns)
            throws SQLException {
        Optional<Snapshot> snapshot = Optional.empty();
        snapshots.setInt(1, group);
        snapshots.setString(2, id.key());
        try (var rows = snapshots.executeQuery()) {
            if (rows.next()) {
                snapshot = Optional.of(new Snapshot(rows.getLong(1), JournalRows.bytes(rows, 2),
                        JournalRows.bytes(rows, 3)));
            }
        }
        turns.setInt(1, group);
        turns.setString(2, id.key());
        turns.setLong(3, snapshot.map(Snapshot::revision).orElse(0L));
        var after = JournalRows.turns(id.group(), turns);
        return snapshot.isEmpty() && after.isEmpty() ? Optional.empty()
                : Optional.of(new Loaded(snapshot, after));
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) throws SQLException {
        var found = new HashMap<Id, Long>();
        try (var statement = reader.prepareStatement("""
                SELECT max(coalesce((SELECT max(rev) FROM fibry_turns WHERE grp = ?1 AND key = ?2), 0),
                    coalesce((SELECT rev FROM fibry_snapshots WHERE grp = ?1 AND key = ?2), 0))""")) {
            for (var id : ids) {
                var group = groupToRead(id.group());
                if (group.isEmpty()) {
                    continue;
                }
                statement.setInt(1, group.get());
                statement.setString(2, id.key());
                try (var rows = statement.executeQuery()) {
                    long revision = rows.next() ? rows.getLong(1) : 0;
                    if (revision > 0) {
                        found.put(id, revision);
                    }
                }
            }
        }
        return found;
    }

    @Override
    public BitSet commit(List<Turn> turns) throws SQLException {
        return inTransaction(() -> {
            var written = insert(turns);
            for (int i = written.nextSetBit(0); i >= 0; i = written.nextSetBit(i + 1)) {
                addRest(turns.get(i));
            }
            return written;
        });
    }

    private BitSet insert(List<Turn> turns) throws SQLException {
        var written = new BitSet(turns.size());
        var fenced = new HashSet<Id>();
        for (int i = 0; i < turns.size(); i++) {
            var turn = turns.get(i);
            if (!fenced.contains(turn.id()) && insert(turn)) {
                written.set(i);
            } else {
                fenced.add(turn.id());
            }
        }
        return written;
    }

    private boolean insert(Turn turn) throws SQLException {
        insert.setInt(1, groupToWrite(turn.id().group()));
        insert.setString(2, turn.id().key());
        insert.setLong(3, turn.revision());
        insert.setLong(4, turn.at().toEpochMilli());
        insert.setBytes(5, turn.events());
        insert.setString(6, turn.messageId().orElse(null));
        insert.setBytes(7, turn.answer());
        insert.setBytes(8, turn.outbox().length == 0 ? null : turn.outbox());
        return insert.executeUpdate() == 1;
    }

    private void addRest(Turn turn) throws SQLException {
        int group = groupToWrite(turn.id().group());
        if (turn.snapshot().isPresent()) {
            var snapshot = turn.snapshot().get();
            keep.setInt(1, group);
            keep.setString(2, turn.id().key());
            keep.setLong(3, snapshot.revision());
            keep.setBytes(4, snapshot.state());
            keep.setBytes(5, snapshot.ids());
            keep.executeUpdate();
        }
        if (turn.deleted()) {
            forgetAll.setInt(1, group);
            forgetAll.setString(2, turn.id().key());
            forgetAll.executeUpdate();
        }
        for (var name : turn.forgotten()) {
            forget.setInt(1, group);
            forget.setString(2, turn.id().key());
            forget.setString(3, name);
            forget.executeUpdate();
        }
        for (var reminder : turn.reminders()) {
            remind.setInt(1, group);
            remind.setString(2, turn.id().key());
            remind.setString(3, reminder.name());
            remind.setLong(4, reminder.at().toEpochMilli());
            remind.setObject(5, reminder.every().map(Duration::toMillis).orElse(null));
            remind.setBytes(6, reminder.message());
            remind.executeUpdate();
        }
    }

    @Override
    public void sent(Collection<Sent> turns) throws SQLException {
        inTransaction(() -> {
            for (var turn : turns) {
                markSent.setInt(1, groupToWrite(turn.id().group()));
                markSent.setString(2, turn.id().key());
                markSent.setLong(3, turn.revision());
                markSent.addBatch();
            }
            return markSent.executeBatch();
        });
    }

    @Override
    public List<Turn> unsent(String group, Slices slices, int most) throws SQLException {
        requireAll(slices);
        return ofGroup(group,
                "SELECT " + JournalRows.TURN
                        + " FROM fibry_turns WHERE grp = ? AND outbox IS NOT NULL ORDER BY id LIMIT ?",
                query -> {
                    query.setInt(2, most);
                    return JournalRows.turns(group, query);
                });
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) throws SQLException {
        requireAll(slices);
        return ofGroup(group,
                "SELECT key, name, at, every, message FROM fibry_reminders WHERE grp = ? AND at <= ? ORDER BY at LIMIT ?",
                query -> {
                    query.setLong(2, until.toEpochMilli());
                    query.setInt(3, most);
                    return JournalRows.reminders(group, query);
                });
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) throws SQLException {
        return ofGroup(id.group(),
                "SELECT key, name, at, every, message FROM fibry_reminders WHERE grp = ? AND key = ? AND name = ?",
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
    private <T> List<T> ofGroup(String name, String query, Read<T> read) throws SQLException {
        var number = groupToRead(name);
        if (number.isEmpty()) {
            return List.of();
        }
        try (var statement = reader.prepareStatement(query)) {
            statement.setInt(1, number.get());
            return read.run(statement);
        }
    }

    @Override
    public int compact(String group, Instant before) throws SQLException {
        return inTransaction(() -> {
            int number = groupToWrite(group);
            try (var delete = writer.prepareStatement("""
                    DELETE FROM fibry_turns WHERE id IN (SELECT t.id FROM fibry_snapshots s JOIN fibry_turns t
                        ON t.grp = s.grp AND t.key = s.key AND t.rev <= s.rev
                        WHERE s.grp = ?1 AND s.compacted = 0 AND t.at < ?2 AND t.outbox IS NULL)""");
                    var mark = writer.prepareStatement(
                            """
                                    UPDATE fibry_snapshots SET compacted = 1 WHERE grp = ?1 AND compacted = 0 AND NOT EXISTS(
                                        SELECT 1 FROM fibry_turns t WHERE t.grp = fibry_snapshots.grp AND t.key = fibry_snapshots.key
                                            AND t.rev <= fibry_snapshots.rev)""")) {
                delete.setInt(1, number);
                delete.setLong(2, before.toEpochMilli());
                int deleted = delete.executeUpdate();
                mark.setInt(1, number);
                mark.executeUpdate();
                return deleted;
            }
        });
    }

    @Override
    public void close() throws IOException {
        try (lock; writer; reader) {
            writer.rollback();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private int groupToWrite(String name) throws SQLException {
        var known = groups.get(name);
        if (known != null) {
            return known;
        }
        try (var make = writer.prepareStatement("INSERT OR IGNORE INTO fibry_groups(name) VALUES(?)")) {
            make.setString(1, name);
            make.executeUpdate();
        }
        // Not remembered: this transaction may be rolled back.
        return group(writer, name).orElseThrow();
    }

    private Optional<Integer> groupToRead(String name) throws SQLException {
        var known = groups.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        // What another connection reads has been committed.
        var group = group(reader, name);
        group.ifPresent(number -> groups.put(name, number));
        return group;
    }

    private static Optional<Integer> group(Connection connection, String name) throws SQLException {
        try (var find = connection.prepareStatement("SELECT grp FROM fibry_groups WHERE name = ?")) {
            find.setString(1, name);
            try (var rows = find.executeQuery()) {
                return rows.next() ? Optional.of(rows.getInt(1)) : Optional.empty();
            }
        }
    }

    private <T> T inTransaction(Work<T> work) throws SQLException {
        try {
            var result = work.run();
            writer.commit();
            return result;
        } catch (SQLException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
    }

    private void rollBack(Exception reason) {
        try {
            markSent.clearBatch();
            writer.rollback();
        } catch (SQLException also) {
            reason.addSuppressed(also);
        }
    }

    /** Sets the other parameters of a query, and reads what it finds. */
    private interface Read<T> {
        List<T> run(PreparedStatement query) throws SQLException;
    }

    /** What is done in a transaction. */
    private interface Work<T> {
        T run() throws SQLException;
    }
}
