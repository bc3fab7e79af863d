package io.fibry.durable;

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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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
final class PostgresJournal implements Journal {
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
    static final String HANDLED =
            """
                    WITH i AS (SELECT k.n, g.grp, k.key, k.id FROM unnest(?::text[], ?::text[], ?::uuid[]) WITH ORDINALITY AS k(name, key, id, n)
                        JOIN fibry_groups g ON g.name = k.name)
                    SELECT i.n, h.at, h.answer, g.name, h.from_key, h.from_rev FROM i CROSS JOIN LATERAL
                        (SELECT h.* FROM fibry_handled h WHERE h.grp = i.grp AND h.key = i.key AND h.id = i.id OFFSET 0) h
                        LEFT JOIN fibry_groups g ON g.grp = h.from_grp""";
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

    /** Behind the name of a table: the number of the key, as {@link Slices#number} returns it, is in one of some slices. */
    private static final String IN_SLICES = "slot % ? = ANY(?)";

    private final PostgresSession.Source source;
    private final Duration limit;
    /** What is added to the numbers of transactions. Written by the thread that opens the journal, before others get it. */
    private long shift;
    private final PostgresSession writer;
    private final PostgresSession reader;
    private final Map<String, Integer> groups = new ConcurrentHashMap<>();

    private PostgresJournal(PostgresSession.Source source, Duration limit) {
        this.source = source;
        this.limit = limit;
        writer = new PostgresSession(source, limit, Connection.TRANSACTION_READ_COMMITTED);
        // Two statements of a load see the same moment.
        reader = new PostgresSession(source, limit, Connection.TRANSACTION_REPEATABLE_READ);
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
    public BitSet commit(List<Turn> turns) throws SQLException {
        var numbers = new HashMap<String, Integer>();
        for (var turn : turns) {
            numbers.putIfAbsent(turn.id().group(), groupToWrite(turn.id().group()));
            for (var message : turn.handled()) {
                if (message.from().isPresent()) {
                    var sender = message.from().get().id().group();
                    numbers.putIfAbsent(sender, groupToWrite(sender));
                }
            }
        }
        return writer.run(connection -> {
            var written = PostgresTurns.insert(connection, turns, numbers, shift);
            addRest(connection, turns, written, numbers);
            return written;
        });
    }

    private void addRest(Connection connection, List<Turn> turns, BitSet written,
            Map<String, Integer> numbers) throws SQLException {
        long window = window();
        try (var keep = connection.prepareStatement(KEEP);
                var forgetAll =
                        connection.prepareStatement(
                                "DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND left(name, 1) <> chr(31)");
                var forget = connection.prepareStatement(
                        "DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND name = ?");
                var remind = connection.prepareStatement(REMIND);
                var note = connection.prepareStatement(
                        """
                                INSERT INTO fibry_handled(grp, key, id, at, answer, from_grp, from_key, from_rev) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                                ON CONFLICT(grp, key, id) DO UPDATE SET at = excluded.at, answer = excluded.answer""")) {
            for (int i = written.nextSetBit(0); i >= 0; i = written.nextSetBit(i + 1)) {
                var turn = turns.get(i);
                int group = numbers.getOrDefault(turn.id().group(), 0);
                if (turn.snapshot().isPresent()) {
                    var snapshot = turn.snapshot().get();
                    at(keep, group, turn.id());
                    keep.setLong(3, snapshot.revision());
                    keep.setBytes(4, snapshot.state());
                    keep.setLong(5, snapshot.revision());
                    // mutant: rows-below-a-new-snapshot-are-deleted
                    keep.setLong(6, window);
                    keep.setLong(7, window);
                    keep.addBatch();
                }
                if (turn.deleted()) {
                    at(forgetAll, group, turn.id());
                    forgetAll.addBatch();
                }
                for (var name : turn.forgotten()) {
                    at(forget, group, turn.id());
                    forget.setString(3, name);
                    forget.addBatch();
                }
                for (var reminder : turn.reminders()) {
                    add(reminder, group, remind);
                }
                for (var message : turn.handled()) {
                    at(note, group, turn.id());
                    note.setObject(3, message.id());
                    note.setLong(4, message.at().toEpochMilli());
                    note.setBytes(5, message.answer());
                    var from = message.from();
                    note.setObject(6,
                            from.map(sent -> numbers.getOrDefault(sent.id().group(), 0)).orElse(null),
                            java.sql.Types.INTEGER);
                    note.setString(7, from.map(sent -> sent.id().key()).orElse(null));
                    note.setObject(8, from.map(Sent::revision).orElse(null), java.sql.Types.BIGINT);
                    note.addBatch();
                }
            }
            for (var batch : List.of(keep, forgetAll, forget, remind, note)) {
                batch.executeBatch();
            }
        }
    }

    /** Returns how old a floor must be, in milliseconds. */
    private long window() {
        return limit.multipliedBy(FLOOR_LIMITS).toMillis();
    }

    private static void at(PreparedStatement statement, int group, Id id) throws SQLException {
        statement.setInt(1, group);
        statement.setString(2, id.key());
    }

    @Override
    public void sent(Collection<Sent> turns) throws SQLException {
        var numbers = new HashMap<String, Integer>();
        for (var turn : turns) {
            numbers.putIfAbsent(turn.id().group(), groupToWrite(turn.id().group()));
        }
        writer.run(connection -> {
            try (var mark = connection.prepareStatement(
                    "UPDATE fibry_turns SET outbox = NULL WHERE grp = ? AND key = ? AND rev = ?")) {
                for (var turn : turns) {
                    at(mark, numbers.getOrDefault(turn.id().group(), 0), turn.id());
                    mark.setLong(3, turn.revision());
                    mark.addBatch();
                }
                return mark.executeBatch();
            }
        });
    }

    @Override
    public List<Turn> history(Id id, long after, int most) throws SQLException {
        return reader.run(connection -> {
            try (var statement = connection.prepareStatement("SELECT " + JournalRows.TURN
                    + " FROM fibry_turns t WHERE t.grp = (SELECT g.grp FROM fibry_groups g WHERE g.name = ?)"
                    + " AND t.key = ? AND t.rev > ? ORDER BY t.rev LIMIT ?")) {
                statement.setString(1, id.group());
                return JournalRows.history(statement, 2, id, after, most);
            }
        });
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) throws SQLException {
        int number = groupToWrite(group);
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
    public List<Turn> unsent(String group, Slices slices, Position after, int most) throws SQLException {
        return reader.run(connection -> {
            try (var statement = connection.prepareStatement("SELECT " + JournalRows.TURN
                    + " FROM fibry_turns t WHERE t.grp = (SELECT g.grp FROM fibry_groups g WHERE g.name = ?) AND t.outbox IS NOT NULL AND t."
                    + IN_SLICES + " AND (t.key, t.rev) > (?, ?) ORDER BY t.key, t.rev LIMIT ?")) {
                statement.setString(1, group);
                in(slices, connection, statement, 2);
                statement.setString(4, after.key());
                statement.setLong(5, after.revision());
                statement.setInt(6, most);
                return JournalRows.turns(group, statement);
            }
        });
    }

    @Override
    public List<Reminder> due(String group, Slices slices, Instant until, int most) throws SQLException {
        return reader.run(connection -> {
            try (var statement = connection.prepareStatement(
                    """
                            SELECT %s FROM fibry_reminders r WHERE r.grp = (SELECT g.grp FROM fibry_groups g WHERE g.name = ?) AND r."""
                            .formatted(JournalRows.REMINDER)
                            + IN_SLICES + " AND r.next <= ? ORDER BY r.next LIMIT ?")) {
                statement.setString(1, group);
                in(slices, connection, statement, 2);
                statement.setLong(4, until.toEpochMilli());
                statement.setInt(5, most);
                return JournalRows.reminders(group, statement);
            }
        });
    }

    @Override
    public void postpone(Collection<Reminder> reminders) throws SQLException {
        var numbers = new HashMap<String, Integer>();
        for (var reminder : reminders) {
            numbers.putIfAbsent(reminder.id().group(), groupToWrite(reminder.id().group()));
        }
        writer.run(connection -> {
            try (var update = connection.prepareStatement(
                    "UPDATE fibry_reminders SET failed = ?, next = ?, reason = ? WHERE grp = ? AND key = ? AND name = ? AND at = ?")) {
                for (var reminder : reminders) {
                    update.setInt(1, reminder.tries().failed());
                    update.setLong(2, reminder.tries().next().toEpochMilli());
                    update.setString(3, reminder.tries().reason());
                    update.setInt(4, numbers.getOrDefault(reminder.id().group(), 0));
                    update.setString(5, reminder.id().key());
                    update.setString(6, reminder.name());
                    update.setLong(7, reminder.at().toEpochMilli());
                    update.addBatch();
                }
                return update.executeBatch();
            }
        });
    }

    @Override
    public Map<Message, Handled> handled(Collection<Message> messages) throws SQLException {
        var all = List.copyOf(messages);
        return reader.run(connection -> {
            var found = new HashMap<Message, Handled>();
            try (var statement =
                    forKeys(connection, all.stream().map(Message::to).toList(), HANDLED)) {
                statement.setArray(3,
                        connection.createArrayOf("uuid", all.stream().map(Message::id).toArray()));
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) {
                        var message = all.get(rows.getInt(1) - 1);
                        found.put(message, JournalRows.handled(message.id(), rows, 2));
                    }
                }
            }
            return found;
        });
    }

    @Override
    public int expire(String group, Instant before, int most) throws SQLException {
        int number = groupToWrite(group);
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

    private static void in(Slices slices, Connection connection, PreparedStatement statement, int first)
            throws SQLException {
        statement.setInt(first, slices.of());
        statement.setArray(first + 1, connection.createArrayOf("int4", slices.numbers().toArray()));
    }

    @Override
    public Optional<Reminder> reminder(Id id, String name) throws SQLException {
        return reader.run(connection -> {
            try (var statement = connection.prepareStatement(
                    """
                            SELECT %s FROM fibry_reminders r
                            WHERE r.grp = (SELECT g.grp FROM fibry_groups g WHERE g.name = ?) AND r.key = ? AND r.name = ?"""
                            .formatted(JournalRows.REMINDER))) {
                statement.setString(1, id.group());
                statement.setString(2, id.key());
                statement.setString(3, name);
                return JournalRows.reminders(id.group(), statement).stream().findFirst();
            }
        });
    }

    @Override
    public void park(Sent from, byte[] left, Reminder letter) throws SQLException {
        int number = groupToWrite(from.id().group());
        writer.run(connection -> {
            try (var park = connection.prepareStatement(
                    "UPDATE fibry_turns SET outbox = ? WHERE grp = ? AND key = ? AND rev = ? AND outbox IS NOT NULL");
                    var remind = connection.prepareStatement(REMIND)) {
                park.setBytes(1, left.length == 0 ? null : left);
                park.setInt(2, number);
                park.setString(3, from.id().key());
                park.setLong(4, from.revision());
                if (park.executeUpdate() == 1) {
                    add(letter, number, remind);
                }
                return remind.executeBatch();
            }
        });
    }

    private static void add(Reminder reminder, int group, PreparedStatement remind) throws SQLException {
        JournalRows.set(remind, group, reminder).setInt(10, Slices.number(reminder.id()));
        remind.addBatch();
    }

    @Override
    public void drop(Collection<Reminder> reminders) throws SQLException {
        for (var reminder : reminders) {
            int number = groupToWrite(reminder.id().group());
            writer.run(connection -> {
                try (var drop = connection
                        .prepareStatement(
                                "DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND name = ? AND at = ?")) {
                    at(drop, number, reminder.id());
                    drop.setString(3, reminder.name());
                    drop.setLong(4, reminder.at().toEpochMilli());
                    return drop.executeUpdate();
                }
            });
        }
    }

    /** The rows of turns stay until a compaction deletes them: a writer that is behind might get in below the snapshot. */
    @Override
    public void erase(Id id, long revision) throws SQLException {
        int number = groupToWrite(id.group());
        writer.run(connection -> {
            for (var sql : List.of("DELETE FROM fibry_handled WHERE grp = ? AND key = ?",
                    "DELETE FROM fibry_reminders WHERE grp = ? AND key = ?",
                    "UPDATE fibry_turns SET at = 0, events = '', outbox = NULL WHERE grp = ? AND key = ? AND rev < "
                            + revision)) {
                try (var erase = connection.prepareStatement(sql)) {
                    at(erase, number, id);
                    erase.executeUpdate();
                }
            }
            return true;
        });
    }

    @Override
    public List<String> keys(String group, String prefix, String after, int most) throws SQLException {
        return reader.run(
                connection -> JournalRows.keys(connection, number(connection, group), prefix, after, most));
    }

    @Override
    public long count(String group, String prefix) throws SQLException {
        return reader.run(connection -> JournalRows.count(connection, number(connection, group), prefix));
    }

    private static Optional<Integer> number(Connection connection, String group) throws SQLException {
        try (var find = connection.prepareStatement("SELECT grp FROM fibry_groups WHERE name = ?")) {
            find.setString(1, group);
            return JournalRows.all(find, rows -> rows.getInt(1)).stream().findFirst();
        }
    }

    @Override
    public List<Reminder> parked(String group, String key, String name, int most) throws SQLException {
        return reader.run(connection -> {
            try (var query = connection.prepareStatement("SELECT " + JournalRows.REMINDER
                    + " FROM fibry_reminders r WHERE r.grp = (SELECT g.grp FROM fibry_groups g WHERE g.name = ?)"
                    + " AND r.next = ? AND (r.key, r.name) > (?, ?) ORDER BY r.key, r.name LIMIT ?")) {
                query.setString(1, group);
                return JournalRows.parked(query, group, key, name, most);
            }
        });
    }

    @Override
    public Follower follow(String name, Set<String> groupNames) throws SQLException {
        var numbers = new HashMap<Integer, String>();
        for (var group : groupNames) {
            numbers.put(groupToWrite(group), group);
        }
        return new SqlFollower(SqlFollower.Database.POSTGRES, name, numbers, shift,
                new PostgresSession(source, limit, Connection.TRANSACTION_READ_COMMITTED));
    }

    @Override
    public boolean isForManyProcesses() {
        return true;
    }

    /** The number of a group, in a transaction of its own: it stays if the turns are rolled back. */
    private int groupToWrite(String name) throws SQLException {
        var known = groups.get(name);
        if (known != null) {
            return known;
        }
        int number = writer.run(connection -> {
            try (var make = connection
                    .prepareStatement("INSERT INTO fibry_groups(name) VALUES(?) ON CONFLICT DO NOTHING");
                    var find = connection.prepareStatement("SELECT grp FROM fibry_groups WHERE name = ?")) {
                make.setString(1, name);
                make.executeUpdate();
                find.setString(1, name);
                return JournalRows.all(find, rows -> rows.getInt(1)).getFirst();
            }
        });
        groups.put(name, number);
        return number;
    }

    @Override
    public void close() throws IOException {
        try {
            try {
                writer.close();
            } finally {
                reader.close();
            }
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
