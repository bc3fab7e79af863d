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
import java.util.UUID;
/**
 * Keeps the logs in a file of SQLite. One connection writes and one reads; the write-ahead log lets them work side by side.
 * A commit is durable when it returns, since the log is flushed for each ({@code synchronous=FULL}). SQLite lets one
 * transaction write at a time, so a commit sees every snapshot before it, and turns below a snapshot can be deleted at once.
 */
final class SqliteJournal extends SqlJournal {
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
    /** Changes nothing. If a projection wrote between what a transaction reads and what it writes, SQLite would refuse to let it write. */
    private static final String BEGIN_TO_WRITE = "UPDATE fibry_groups SET name = name WHERE FALSE";
    private static final String DELETE = "DELETE FROM fibry_turns WHERE grp = ? AND key = ? AND rev = ?";
    private static final String MARK_COMPACTED =
            """
                    UPDATE fibry_snapshots SET compacted = 1 WHERE grp = ? AND key = ? AND compacted = 0 AND NOT EXISTS(
                        SELECT 1 FROM fibry_turns t WHERE t.grp = fibry_snapshots.grp AND t.key = fibry_snapshots.key
                            AND t.rev <= fibry_snapshots.rev)""";
    private static final String EXPIRE =
            """
                    DELETE FROM fibry_handled WHERE grp = ?1 AND (key, id) IN (SELECT h.key, h.id FROM fibry_handled h
                        WHERE h.grp = ?1 AND h.at < ?2 AND NOT EXISTS(SELECT 1 FROM fibry_turns t
                            WHERE t.grp = h.from_grp AND t.key = h.from_key AND t.rev = h.from_rev AND t.outbox IS NOT NULL)
                            AND NOT EXISTS(SELECT 1 FROM fibry_reminders r WHERE r.grp = h.from_grp AND r.key = h.from_key
                                AND r.name GLOB char(31) || h.from_rev || '/*')
                        LIMIT ?3)""";
    private static final String REVISION = """
            SELECT max(coalesce((SELECT max(rev) FROM fibry_turns WHERE grp = ?1 AND key = ?2), 0),
                coalesce((SELECT rev FROM fibry_snapshots WHERE grp = ?1 AND key = ?2), 0))""";

    private static final Dialect DIALECT =
            new Dialect("INSERT OR IGNORE INTO fibry_groups(name) VALUES(?)", KEEP, REMIND, NOTE,
                    "DELETE FROM fibry_turns WHERE grp = ? AND key = ? AND rev < ?", "");

    private final StoreLock lock;
    private final Path file;
    private final Duration limit;

    private SqliteJournal(StoreLock lock, Path file, Duration limit) {
        super(new SqliteSession(file, limit), new SqliteSession(file, limit), DIALECT);
        this.lock = lock;
        this.file = file;
        this.limit = limit;
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
                var group = group(connection, id.group());
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

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) throws SQLException {
        return reader.run(connection -> {
            var find = reader.prepared(connection, REVISION);
            var found = new HashMap<Id, Long>();
            for (var id : ids) {
                var group = group(connection, id.group());
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
    BitSet insert(Connection connection, List<Turn> turns, Map<String, Integer> numbers) throws SQLException {
        // mutant: stale-writer-gets-in-below-a-snapshot, turn-of-another-writer-is-written-over, turn-is-written-behind-a-gap
        var insert = writer.prepared(connection, INSERT);
        var written = new BitSet(turns.size());
        var fenced = new HashSet<Id>();
        for (int i = 0; i < turns.size(); i++) {
            var turn = turns.get(i);
            if (!fenced.contains(turn.id())
                    && insert(insert, numbers.getOrDefault(turn.id().group(), 0), turn)) {
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

    @Override
    public int expire(String group, Instant before, int most) throws SQLException {
        int number = group(group);
        return writer.run(connection -> {
            var expire = writer.prepared(connection, EXPIRE);
            expire.setInt(1, number);
            expire.setLong(2, before.toEpochMilli());
            expire.setInt(3, most);
            return expire.executeUpdate();
        });
    }

    @Override
    void set(PreparedStatement statement, int index, UUID uuid) throws SQLException {
        statement.setBytes(index, ByteBuffer.allocate(2 * Long.BYTES).putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits()).array());
    }

    /** The process that has a file has all slices. */
    @Override
    int set(PreparedStatement statement, int index, Slices slices) {
        if (slices.numbers().size() != slices.of()) {
            throw new IllegalArgumentException("a file belongs to one process, which reads all slices, not "
                    + slices.numbers().size() + " of " + slices.of());
        }
        return index;
    }

    @Override
    SqlFollower follow(String name, Map<Integer, String> names) {
        return new SqlFollower(SqlFollower.Database.SQLITE, name, names, 0, new SqliteSession(file, limit));
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            super.close();
        }
    }

    @Override
    public boolean isForManyProcesses() {
        return false;
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) throws SQLException {
        int number = group(group);
        return writer.run(connection -> {
            writer.prepared(connection, BEGIN_TO_WRITE).executeUpdate();
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
}
