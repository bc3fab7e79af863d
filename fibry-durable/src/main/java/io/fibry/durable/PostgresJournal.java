package io.fibry.durable;

import io.fibry.internal.keyed.SliceWork.HomeRow;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the logs in PostgreSQL, which several processes may share. One connection writes and one reads. A connection that has failed is replaced
 * at the next call.
 *
 * <p>Turns that a snapshot covers are deleted, and then the primary key no longer fences a writer that is behind. So a turn is also fenced by a
 * snapshot that is not older. An insert judges by what was committed when it began, and it may wait after that. So turns are
 * deleted only under a snapshot that was committed so long ago that all statements that do not see it have timed out: each snapshot row has a floor, the
 * revision that a snapshot has covered since a time. The floor moves up when it is old enough to have been used.
 */
final class PostgresJournal extends SqlJournal {
    private static final byte[] NONE = {};
    private static final Logger LOG = LoggerFactory.getLogger(PostgresJournal.class);
    /** A floor is used after as many times the limit. */
    private static final int FLOOR_LIMITS = 12;
    private static final String KEEP =
            """
                    INSERT INTO fibry_snapshots AS s(grp, key, rev, state, floor_rev, floor_at) VALUES(?, ?, ?, ?, ?, clock_timestamp())
                    ON CONFLICT(grp, key) DO UPDATE SET rev = excluded.rev, state = excluded.state,
                        floor_rev = CASE WHEN s.floor_at < clock_timestamp() - ? * interval '1 millisecond' THEN excluded.rev ELSE s.floor_rev END,
                        floor_at = CASE WHEN s.floor_at < clock_timestamp() - ? * interval '1 millisecond' THEN clock_timestamp() ELSE s.floor_at END""";
    private static final String REMIND =
            """
                    INSERT INTO fibry_reminders(grp, key, name, at, every, message, failed, next, reason, slot) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT(grp, key, name) DO UPDATE SET at = excluded.at, every = excluded.every, message = excluded.message,
                        failed = excluded.failed, next = excluded.next, reason = excluded.reason""";
    private static final String KEYS =
            """
                    WITH i AS (SELECT k.n, g.grp, k.key FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS k(name, key, n)
                        JOIN fibry_groups g ON g.name = k.name)
                    """;
    // PostgreSQL plans these queries without knowing how many keys there are, and would join them with whole tables. OFFSET 0 makes it run the inner
    // query for each key, with the primary key.
    static final String SNAPSHOTS = KEYS
            + """
                    SELECT i.n, s.rev, s.state FROM i CROSS JOIN LATERAL
                        (SELECT s.rev, s.state FROM fibry_snapshots s WHERE s.grp = i.grp AND s.key = i.key OFFSET 0) s""";
    static final String TURNS = KEYS
            + "SELECT t.*, i.n FROM i CROSS JOIN LATERAL (SELECT " + JournalRows.TURN
            + """
                     FROM fibry_turns t WHERE t.grp = i.grp AND t.key = i.key
                        AND t.rev > coalesce((SELECT s.rev FROM fibry_snapshots s WHERE s.grp = i.grp AND s.key = i.key), 0) OFFSET 0) t
                    ORDER BY i.n, t.rev""";
    static final String HANDLED_OF_KEYS = KEYS
            + "SELECT i.n, h.id, h.at FROM i CROSS JOIN LATERAL (SELECT h.id, h.at FROM fibry_handled h WHERE h.grp = i.grp AND h.key = i.key LIMIT "
            + (Loaded.MOST_HANDLED + 1) + ") h";
    static final String REVISIONS = KEYS
            + """
                    SELECT i.n, greatest((SELECT max(t.rev) FROM fibry_turns t WHERE t.grp = i.grp AND t.key = i.key),
                        (SELECT s.rev FROM fibry_snapshots s WHERE s.grp = i.grp AND s.key = i.key)) FROM i""";

    /**
     * The rows of a step of a compaction. The inner query is run for one key after another, until there are enough rows; if PostgreSQL took the keys in another
     * order, some turns would be left to the next compaction.
     */
    static final String STEP =
            """
                    SELECT s.key, t.rev, t.old, t.size, 0 FROM
                        (SELECT s.key, CASE WHEN s.floor_at < clock_timestamp() - ? * interval '1 millisecond' THEN s.floor_rev ELSE 0 END AS floor
                            FROM fibry_snapshots s WHERE s.grp = ? AND s.key >= ? AND NOT (s.key = ? AND ? = 9223372036854775807)
                            ORDER BY s.key LIMIT ?) s
                        LEFT JOIN LATERAL (SELECT t.rev, t.at < ? AND t.outbox IS NULL
                                AND t.id <= coalesce((SELECT min(p.place) FROM fibry_places p WHERE p.grp = t.grp), t.id) AS old, octet_length(t.events) AS size
                            FROM fibry_turns t WHERE t.grp = ? AND t.key = s.key AND t.rev <= s.floor
                                AND t.rev > CASE WHEN s.key = ? THEN ? ELSE 0 END ORDER BY t.rev LIMIT ?) t ON true
                    LIMIT ?""";

    private static final Dialect DIALECT = new Dialect(
            "INSERT INTO fibry_groups(name) VALUES(?) ON CONFLICT DO NOTHING", KEEP, REMIND,
            """
                    INSERT INTO fibry_handled(grp, key, id, at, answer, from_grp, from_key, from_rev) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT(grp, key, id) DO UPDATE SET at = excluded.at, answer = excluded.answer""",
            // The rows of turns stay until a compaction deletes them: a writer that is behind might get in below the snapshot.
            "UPDATE fibry_turns SET at = 0, events = '', outbox = NULL WHERE grp = ? AND key = ? AND rev < ?",
            " AND slot % ? = ANY(?)");

    private final PostgresSession.Source source;
    private final Duration limit;
    private final HomeRows homes = new HomeRows();
    /** What is added to the numbers of transactions. Written by the thread that opens the journal, before others get it. */
    private long shift;

    private PostgresJournal(PostgresSession.Source source, Duration limit) {
        // Two statements of a load see the same moment.
        super(new PostgresSession(source, limit, Connection.TRANSACTION_READ_COMMITTED),
                new PostgresSession(source, limit, Connection.TRANSACTION_REPEATABLE_READ), DIALECT);
        this.source = source;
        this.limit = limit;
    }

    static PostgresJournal open(PostgresSession.Source source, Duration limit) throws SQLException {
        var journal = new PostgresJournal(source, limit);
        try {
            journal.writer.run(connection -> {
                journal.shift = PostgresTables.make(connection);
                warn(connection);
                return true;
            });
        } catch (SQLException | RuntimeException e) {
            try {
                journal.close();
            } catch (IOException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
        return journal;
    }

    private static void warn(Connection connection) throws SQLException {
        if (!"on".equals(show(connection, "fsync"))) {
            LOG.warn(
                    "PostgreSQL runs with fsync=off: what it has committed is lost if its machine loses power; set fsync=on");
        }
        if ("off".equals(show(connection, "synchronous_commit"))) {
            LOG.warn(
                    "PostgreSQL runs with synchronous_commit=off: what it has committed may be lost if it ends; set synchronous_commit=on");
        }
    }

    /** Returns a setting of the connection that writes. */
    String setting(String name) throws SQLException {
        return writer.run(connection -> show(connection, name));
    }

    private static String show(Connection connection, String name) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW " + name)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    @Override
    BitSet insert(Connection connection, List<Turn> turns, Map<String, Integer> numbers) throws SQLException {
        var may = homes.hold(connection, turns);
        if (may.cardinality() == turns.size()) {
            return PostgresTurns.insert(connection, turns, numbers, shift);
        }
        var held = may.stream().mapToObj(turns::get).toList();
        return placesOf(PostgresTurns.insert(connection, held, numbers, shift), may);
    }

    /** Returns the places that some of the set bits of another set have there: bit i stands for its i-th set bit. */
    private static BitSet placesOf(BitSet some, BitSet all) {
        var places = all.stream().toArray();
        var found = new BitSet();
        some.stream().forEach(each -> found.set(places[each]));
        return found;
    }

    /** This node is the home of a slice of a group from now on. */
    void begin(String group, int slice, int slices, Optional<HomeRow> row) {
        homes.begin(group, slice, slices, row);
    }

    @Override
    void keep(PreparedStatement keep, Snapshot snapshot) throws SQLException {
        keep.setLong(5, snapshot.revision());
        // mutant: rows-below-a-new-snapshot-are-deleted
        keep.setLong(6, window());
        keep.setLong(7, window());
    }

    @Override
    void remind(PreparedStatement remind, Reminder reminder) throws SQLException {
        remind.setInt(10, Slices.number(reminder.id()));
    }

    @Override
    void set(PreparedStatement statement, int index, UUID uuid) throws SQLException {
        statement.setObject(index, uuid);
    }

    @Override
    int set(PreparedStatement statement, int index, Slices slices) throws SQLException {
        statement.setInt(index, slices.of());
        statement.setArray(index + 1,
                statement.getConnection().createArrayOf("int4", slices.numbers().toArray()));
        return index + 2;
    }

    @Override
    SqlFollower follow(String name, Map<Integer, String> names) {
        return new SqlFollower(SqlFollower.Database.POSTGRES, name, names, shift,
                new PostgresSession(source, limit, Connection.TRANSACTION_READ_COMMITTED));
    }

    /** Returns how old a floor must be, in milliseconds. */
    private long window() {
        return limit.multipliedBy(FLOOR_LIMITS).toMillis();
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) throws SQLException {
        int number = group(group);
        return writer.run(connection -> {
            try (var lock = connection.prepareStatement("SELECT 1 FROM fibry_groups WHERE grp = ? FOR SHARE");
                    var query = connection.prepareStatement(STEP);
                    var delete = connection.prepareStatement(
                            "DELETE FROM fibry_turns WHERE grp = ? AND key = ? AND rev = ?")) {
                lock.setInt(1, number);
                lock.execute(); // a projection has begun, or begins when this is committed
                query.setLong(1, window());
                query.setInt(2, number);
                query.setString(3, from.key());
                query.setString(4, from.key());
                query.setLong(5, from.revision());
                query.setInt(6, most);
                query.setLong(7, before.toEpochMilli());
                query.setInt(8, number);
                query.setString(9, from.key());
                query.setLong(10, from.revision());
                query.setInt(11, most);
                query.setInt(12, most);
                var step = CompactionStep.read(query, most);
                for (var turn : step.old()) {
                    at(delete, number, new Id(group, turn.key()));
                    delete.setLong(3, turn.revision());
                    delete.addBatch();
                }
                delete.executeBatch();
                return step.done();
            }
        });
    }

    @Override
    public Map<Id, Loaded> load(Collection<Id> ids) throws SQLException {
        var keys = List.copyOf(ids);
        return reader.run(connection -> {
            var snapshots = new HashMap<Id, Snapshot>();
            var turns = new HashMap<Id, List<Turn>>();
            var handled = new HashMap<Id, List<Handled>>();
            try (var statement = forKeys(connection, keys, SNAPSHOTS);
                    var rows = statement.executeQuery()) {
                while (rows.next()) {
                    snapshots.put(keys.get(rows.getInt(1) - 1),
                            new Snapshot(rows.getLong(2), rows.getBytes(3)));
                }
            }
            try (var statement = forKeys(connection, keys, TURNS);
                    var rows = statement.executeQuery()) {
                while (rows.next()) {
                    var id = keys.get(rows.getInt(6) - 1);
                    turns.computeIfAbsent(id, key -> new ArrayList<>())
                            .add(JournalRows.turn(id.group(), rows));
                }
            }
            try (var statement = forKeys(connection, keys, HANDLED_OF_KEYS);
                    var rows = statement.executeQuery()) {
                while (rows.next()) {
                    handled.computeIfAbsent(keys.get(rows.getInt(1) - 1), key -> new ArrayList<>())
                            .add(new Handled(rows.getObject(2, UUID.class),
                                    Instant.ofEpochMilli(rows.getLong(3)), Optional.empty(), NONE));
                }
            }
            var found = new HashMap<Id, Loaded>();
            for (var id : keys) {
                var snapshot = Optional.ofNullable(snapshots.get(id));
                var after = turns.getOrDefault(id, List.of());
                if (snapshot.isPresent() || !after.isEmpty()) {
                    found.put(id, new Loaded(snapshot, after, handled.getOrDefault(id, List.of())));
                }
            }
            return found;
        });
    }

    private static PreparedStatement forKeys(Connection connection, List<Id> keys, String query)
            throws SQLException {
        var statement = connection.prepareStatement(query);
        statement.setArray(1, connection.createArrayOf("text", keys.stream().map(Id::group).toArray()));
        statement.setArray(2, connection.createArrayOf("text", keys.stream().map(Id::key).toArray()));
        return statement;
    }

    @Override
    public Map<Id, Long> revisions(Collection<Id> ids) throws SQLException {
        var keys = List.copyOf(ids);
        return reader.run(connection -> {
            var found = new HashMap<Id, Long>();
            try (var statement = forKeys(connection, keys, REVISIONS);
                    var rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (rows.getLong(2) > 0) {
                        found.put(keys.get(rows.getInt(1) - 1), rows.getLong(2));
                    }
                }
            }
            return found;
        });
    }

    @Override
    public int expire(String group, Instant before, int most) throws SQLException {
        int number = group(group);
        return writer.run(connection -> {
            try (var delete = connection.prepareStatement(
                    """
                            DELETE FROM fibry_handled d USING (SELECT h.grp, h.key, h.id FROM fibry_handled h
                                WHERE h.grp + 0 = ? AND h.at < ? AND NOT EXISTS(SELECT 1 FROM fibry_turns t
                                    WHERE t.grp = h.from_grp AND t.key = h.from_key AND t.rev = h.from_rev AND t.outbox IS NOT NULL)
                                    AND NOT EXISTS(SELECT 1 FROM fibry_reminders r WHERE r.grp = h.from_grp AND r.key = h.from_key
                                        AND r.name > chr(31) || h.from_rev || '/' AND r.name < chr(31) || h.from_rev || '0')
                                ORDER BY h.at LIMIT ?) o
                            WHERE d.grp = o.grp AND d.key = o.key AND d.id = o.id AND d.at < ?""")) {
                delete.setInt(1, number);
                delete.setLong(2, before.toEpochMilli());
                delete.setInt(3, most);
                delete.setLong(4, before.toEpochMilli());
                return delete.executeUpdate();
            }
        });
    }

    @Override
    public boolean isForManyProcesses() {
        return true;
    }

}
