package io.fibry.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What the stores in databases have in common. One connection writes and one reads. Where the database, or a lock that each
 * transaction of a writer takes first, lets one transaction write at a time, a commit sees every turn and every snapshot before it.
 * So it decides itself what is fenced, and turns below a snapshot can be deleted at once. PostgreSQL has more than one writer, and
 * statements of its own.
 */
abstract class SqlJournal implements Journal {
    private static final String OF_REMINDER = " WHERE grp = ? AND actor = ? AND name = ?";
    private static final String OF_TURN = " WHERE grp = ? AND actor = ? AND rev = ?";
    private static final String IN_SLICES = " AND ? LIKE concat('%,', slot % ?, ',%')";

    // Queries for one key of some: 1 is the number of its group, 2 the key, and 3 its place among them.
    /** The snapshot, the turns after it, and what was handled; the first column says which of them a row is. */
    static final String LOG_OF_KEY =
            "SELECT 1, rev, 0, state AS bytes, NULL, %3$s AS n FROM fibry_snapshots WHERE grp = %1$s AND actor = %2$s"
                    + " UNION ALL SELECT 2, rev, at, events, outbox, %3$s FROM fibry_turns WHERE grp = %1$s AND actor = %2$s"
                    + " AND rev > coalesce((SELECT rev FROM fibry_snapshots WHERE grp = %1$s AND actor = %2$s), 0)"
                    + " UNION ALL SELECT 3, 0, at, id, NULL, %3$s FROM (SELECT at, id FROM fibry_handled WHERE grp = %1$s AND actor = %2$s LIMIT "
                    + (Loaded.MOST_HANDLED + 1) + ") h";
    static final String REVISION_OF_KEY =
            "SELECT max(rev), %3$s AS n FROM fibry_turns WHERE grp = %1$s AND actor = %2$s"
                    + " UNION ALL SELECT rev, %3$s FROM fibry_snapshots WHERE grp = %1$s AND actor = %2$s";

    final SqlSession writer;
    /** Each of its transactions sees one moment, however many statements it has. */
    final SqlSession reader;
    private final Dialect dialect;
    private final Map<String, Integer> groups = new ConcurrentHashMap<>();

    SqlJournal(SqlSession writer, SqlSession reader, Dialect dialect) {
        this.writer = writer;
        this.reader = reader;
        this.dialect = dialect;
    }

    /**
     * Statements that databases write in different ways.
     *
     * @param group makes the number of a group
     * @param log reads the {@linkplain #LOG_OF_KEY log of a key}, with ids as bytes
     * @param keep writes a snapshot
     * @param remind writes a reminder
     * @param note writes what was handled
     * @param erase erases the turns of a key below a revision
     * @param unsent the condition that a turn has an outbox that is not empty, as an index has it
     * @param groupOfHandled the number of the group of what was handled, as the index of its times has it
     * @param step reads the turns of a step of a compaction
     * @param mark marks a snapshot under which no turns are left; empty if that is not kept
     */
    record Dialect(String group, String log, String keep, String remind, String note, String erase,
            String unsent, String groupOfHandled, String step, String mark) {
        /** Returns the statements of a database in which one transaction writes at a time. */
        static Dialect ofOneWriter(String group, String log, String unsent, String step) {
            return new Dialect(group, log,
                    "REPLACE INTO fibry_snapshots(grp, actor, rev, state, compacted) VALUES(?, ?, ?, ?, 0)",
                    "REPLACE INTO fibry_reminders(grp, actor, name, at, every, message, failed, next, reason, slot) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    "REPLACE INTO fibry_handled(grp, actor, id, at, answer, from_grp, from_actor, from_rev) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                    "DELETE FROM fibry_turns WHERE grp = ? AND actor = ? AND rev < ?", unsent, "h.grp", step,
                    """
                            UPDATE fibry_snapshots SET compacted = 1 WHERE grp = ? AND actor = ? AND compacted = 0 AND NOT EXISTS(
                                SELECT 1 FROM fibry_turns t WHERE t.grp = fibry_snapshots.grp AND t.actor = fibry_snapshots.actor
                                    AND t.rev <= fibry_snapshots.rev)""");
        }
    }

    /** Sets the parameters of the statement that writes a snapshot, from the fifth. */
    void keep(PreparedStatement keep, Snapshot snapshot) throws SQLException {
        // There are none.
    }

    void set(PreparedStatement statement, int index, UUID uuid) throws SQLException {
        statement.setBytes(index, ByteBuffer.allocate(2 * Long.BYTES).putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits()).array());
    }

    UUID uuid(ResultSet rows, int index) throws SQLException {
        return uuid(rows.getBytes(index));
    }

    private static UUID uuid(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        return new UUID(in.getLong(), in.getLong());
    }

    /** Runs a query for each of some keys. Hands over what it finds for one key after another. */
    abstract void each(SqlSession session, Connection connection, List<Id> ids, String query, OfKey row)
            throws SQLException;

    /** Takes a row of a key. */
    interface OfKey {
        void take(Id id, ResultSet rows) throws SQLException;
    }

    static void at(PreparedStatement statement, int group, Id id) throws SQLException {
        statement.setInt(1, group);
        statement.setString(2, id.key());
    }

    // ---- Groups have numbers. ----

    /** The number of a group, made in a transaction of its own: it stays if the turns are rolled back. */
    final int group(String name) throws SQLException {
        var known = groups.get(name);
        if (known != null) {
            return known;
        }
        int number = writer.write(connection -> {
            var make = writer.prepared(connection, dialect.group());
            make.setString(1, name);
            make.executeUpdate();
            return find(writer, connection, name).orElseThrow();
        });
        groups.put(name, number);
        return number;
    }

    final Map<String, Integer> numbers(Collection<Id> ids) throws SQLException {
        var numbers = new HashMap<String, Integer>();
        for (var id : ids) {
            numbers.put(id.group(), group(id.group()));
        }
        return numbers;
    }

    /** The number of a group that is to be read; empty if there is none. */
    final Optional<Integer> group(SqlSession session, Connection connection, String name)
            throws SQLException {
        var known = Optional.ofNullable(groups.get(name));
        return known.isPresent() ? known : find(session, connection, name);
    }

    private static Optional<Integer> find(SqlSession session, Connection connection, String name)
            throws SQLException {
        var find = session.prepared(connection, "SELECT grp FROM fibry_groups WHERE name = ?");
        find.setString(1, name);
        return JournalRows.all(find, rows -> rows.getInt(1)).stream().findFirst();
    }

    // ---- What is written. ----

    @Override
    public final BitSet commit(List<Turn> turns) throws SQLException {
        return commit(turns, this::insert);
    }

    final BitSet commit(List<Turn> turns, Insert inserts) throws SQLException {
        var ids = new LinkedHashSet<Id>();
        for (var turn : turns) {
            ids.add(turn.id());
            turn.handled().forEach(message -> message.from().ifPresent(sender -> ids.add(sender.id())));
        }
        var numbers = numbers(ids);
        return writer.write(connection -> {
            var written = inserts.insert(connection, turns, numbers);
            addRest(connection, turns, written, numbers);
            return written;
        }, isOneStatement(turns) && turns.stream().noneMatch(SqlJournal::changesMore));
    }

    /** Tells whether {@link #insert} is one statement for these turns. */
    boolean isOneStatement(List<Turn> turns) {
        return false;
    }

    private static boolean changesMore(Turn turn) {
        // A key that is deleted has a snapshot.
        return turn.snapshot().isPresent() || !turn.handled().isEmpty() || !turn.reminders().isEmpty()
                || !turn.forgotten().isEmpty();
    }

    /** How turns are added. */
    interface Insert {
        BitSet insert(Connection connection, List<Turn> turns, Map<String, Integer> numbers)
                throws SQLException;
    }

    /** Adds turns, apart from those that are fenced. Returns which were added. */
    abstract BitSet insert(Connection connection, List<Turn> turns, Map<String, Integer> numbers)
            throws SQLException;

    static void set(PreparedStatement insert, int group, Turn turn) throws SQLException {
        boolean isSent = turn.outbox().length == 0;
        at(insert, group, turn.id());
        insert.setLong(3, turn.revision());
        insert.setLong(4, turn.at().toEpochMilli());
        insert.setBytes(5, turn.events());
        insert.setBytes(6, isSent ? null : turn.outbox());
        insert.setObject(7, isSent ? null : Slices.number(turn.id()), Types.INTEGER);
    }

    private void addRest(Connection connection, List<Turn> turns, BitSet written,
            Map<String, Integer> numbers)
            throws SQLException {
        var batches = new LinkedHashSet<PreparedStatement>();
        for (int i = written.nextSetBit(0); i >= 0; i = written.nextSetBit(i + 1)) {
            var turn = turns.get(i);
            int group = numbers.getOrDefault(turn.id().group(), 0);
            if (turn.snapshot().isPresent()) {
                var snapshot = turn.snapshot().get();
                var keep = of(turn.id(), group, connection, dialect.keep());
                keep.setLong(3, snapshot.revision());
                keep.setBytes(4, snapshot.state());
                keep(keep, snapshot);
                add(keep, batches);
            }
            if (turn.deleted()) {
                var forget = of(turn.id(), group, connection,
                        "DELETE FROM fibry_reminders WHERE grp = ? AND actor = ? AND substr(name, 1, 1) <> ?");
                forget.setString(3, Reminder.LETTER);
                add(forget, batches);
            }
            for (var name : turn.forgotten()) {
                var forget = of(turn.id(), group, connection, "DELETE FROM fibry_reminders" + OF_REMINDER);
                forget.setString(3, name);
                add(forget, batches);
            }
        }
        execute(batches);
        for (int i = written.nextSetBit(0); i >= 0; i = written.nextSetBit(i + 1)) {
            var turn = turns.get(i);
            for (var reminder : turn.reminders()) {
                add(remind(connection, reminder, numbers), batches);
            }
            for (var message : turn.handled()) {
                var from = message.from();
                var note =
                        of(turn.id(), numbers.getOrDefault(turn.id().group(), 0), connection, dialect.note());
                set(note, 3, message.id());
                note.setLong(4, message.at().toEpochMilli());
                note.setBytes(5, message.answer());
                note.setObject(6, from.map(sent -> numbers.getOrDefault(sent.id().group(), 0)).orElse(null),
                        Types.INTEGER);
                note.setString(7, from.map(sent -> sent.id().key()).orElse(null));
                note.setObject(8, from.map(Sent::revision).orElse(null), Types.BIGINT);
                add(note, batches);
            }
        }
        execute(batches);
    }

    private static void add(PreparedStatement statement, Set<PreparedStatement> batches) throws SQLException {
        statement.addBatch();
        batches.add(statement);
    }

    private static void execute(Set<PreparedStatement> batches) throws SQLException {
        for (var batch : batches) {
            batch.executeBatch();
        }
        batches.clear();
    }

    /** Returns a statement of the writer whose first parameters name a key. */
    private PreparedStatement of(Id id, int group, Connection connection, String sql) throws SQLException {
        var statement = writer.prepared(connection, sql);
        at(statement, group, id);
        return statement;
    }

    private PreparedStatement remind(Connection connection, Reminder reminder, Map<String, Integer> numbers)
            throws SQLException {
        var remind = JournalRows.set(writer.prepared(connection, dialect.remind()),
                numbers.getOrDefault(reminder.id().group(), 0), reminder);
        remind.setInt(10, Slices.number(reminder.id()));
        return remind;
    }

    @Override
    public final void sent(Collection<Sent> turns) throws SQLException {
        var numbers = numbers(turns.stream().map(Sent::id).toList());
        writer.write(connection -> {
            var mark = writer.prepared(connection, "UPDATE fibry_turns SET outbox = NULL" + OF_TURN);
            for (var turn : turns) {
                at(mark, numbers.getOrDefault(turn.id().group(), 0), turn.id());
                mark.setLong(3, turn.revision());
                mark.addBatch();
            }
            return mark.executeBatch();
        });
    }

    @Override
    public final void postpone(Collection<Reminder> reminders) throws SQLException {
        var numbers = numbers(reminders.stream().map(Reminder::id).toList());
        writer.write(connection -> {
            var update = writer.prepared(connection,
                    "UPDATE fibry_reminders SET failed = ?, next = ?, reason = ? WHERE grp = ? AND actor = ? AND name = ? AND at = ?");
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
        });
    }

    @Override
    public final void park(Sent from, byte[] left, Reminder letter) throws SQLException {
        var numbers = numbers(List.of(from.id()));
        writer.write(connection -> {
            var park = writer.prepared(connection,
                    "UPDATE fibry_turns SET outbox = ? WHERE grp = ? AND actor = ? AND rev = ? AND outbox IS NOT NULL");
            park.setBytes(1, left.length == 0 ? null : left);
            park.setInt(2, numbers.getOrDefault(from.id().group(), 0));
            park.setString(3, from.id().key());
            park.setLong(4, from.revision());
            return park.executeUpdate() == 1 && remind(connection, letter, numbers).executeUpdate() == 1;
        });
    }

    @Override
    public final void drop(Reminder reminder) throws SQLException {
        int group = group(reminder.id().group());
        writer.write(connection -> {
            var drop = of(reminder.id(), group, connection,
                    "DELETE FROM fibry_reminders" + OF_REMINDER + " AND at = ?");
            drop.setString(3, reminder.name());
            drop.setLong(4, reminder.at().toEpochMilli());
            return drop.executeUpdate();
        });
    }

    @Override
    public final void erase(Id id, long revision) throws SQLException {
        int group = group(id.group());
        writer.write(connection -> {
            of(id, group, connection, "DELETE FROM fibry_handled WHERE grp = ? AND actor = ?")
                    .executeUpdate();
            of(id, group, connection, "DELETE FROM fibry_reminders WHERE grp = ? AND actor = ?")
                    .executeUpdate();
            var erase = of(id, group, connection, dialect.erase());
            erase.setLong(3, revision);
            return erase.executeUpdate();
        });
    }

    @Override
    public final int expire(String group, Instant before, int most) throws SQLException {
        int number = group(group);
        return writer.write(connection -> {
            var find = writer.prepared(connection, "SELECT h.actor, h.id FROM fibry_handled h WHERE "
                    + dialect.groupOfHandled()
                    + """
                             = ? AND h.at < ? AND NOT EXISTS(SELECT 1 FROM fibry_turns t
                                WHERE t.grp = h.from_grp AND t.actor = h.from_actor AND t.rev = h.from_rev AND t.outbox IS NOT NULL)
                            AND NOT EXISTS(SELECT 1 FROM fibry_reminders r WHERE r.grp = h.from_grp AND r.actor = h.from_actor
                                AND r.name > concat(?, h.from_rev, '/') AND r.name < concat(?, h.from_rev, '0'))
                            ORDER BY h.at LIMIT ?""");
            find.setInt(1, number);
            find.setLong(2, before.toEpochMilli());
            find.setString(3, Reminder.LETTER);
            find.setString(4, Reminder.LETTER);
            find.setInt(5, most);
            var old = JournalRows.all(find,
                    rows -> new Message(new Id(group, rows.getString(1)), uuid(rows, 2)));
            // Another process may have written a message anew.
            var delete = writer.prepared(connection,
                    "DELETE FROM fibry_handled WHERE grp = ? AND actor = ? AND id = ? AND at < ?");
            for (var message : old) {
                at(delete, number, message.to());
                set(delete, 3, message.id());
                delete.setLong(4, before.toEpochMilli());
                delete.addBatch();
            }
            delete.executeBatch();
            return old.size();
        });
    }

    @Override
    public final Step compact(String group, Instant before, Position from, int most) throws SQLException {
        int number = group(group);
        return writer.write(connection -> {
            // A projection has begun, or begins when this is committed.
            var hold =
                    writer.prepared(connection, "UPDATE fibry_groups SET name = name WHERE grp = ?");
            hold.setInt(1, number);
            hold.executeUpdate();
            var query = writer.prepared(connection, dialect.step());
            step(query, number, before, from, most);
            var step = CompactionStep.read(query, most);
            var delete = writer.prepared(connection, "DELETE FROM fibry_turns" + OF_TURN);
            for (var turn : step.old()) {
                at(delete, number, new Id(group, turn.key()));
                delete.setLong(3, turn.revision());
                delete.addBatch();
            }
            delete.executeBatch();
            if (!dialect.mark().isEmpty()) {
                var mark = writer.prepared(connection, dialect.mark());
                for (var key : step.passed()) {
                    at(mark, number, new Id(group, key));
                    mark.addBatch();
                }
                mark.executeBatch();
            }
            return step.done();
        });
    }

    /**
     * The rows of a step of a compaction in a database with one writer, in the order of two indexes. The second one is not named by
     * ORDER BY, or the database would read all turns of a key to sort them; if it took them in another order, some would be left to
     * the next compaction. To mark a snapshot writes it again, so its size counts. The newest turn stays while there are
     * projections: SQLite would give its number again.
     *
     * @param snapshots names the index of the snapshots
     * @param turns names the index of the turns
     */
    static String step(String snapshots, String turns) {
        return """
                SELECT s.actor, t.rev, t.at < ? AND t.outbox IS NULL AND (t.id < (SELECT max(id) FROM fibry_turns) OR NOT EXISTS(SELECT 1 FROM fibry_places))
                    AND t.id <= coalesce((SELECT min(place) FROM fibry_places p WHERE p.grp = s.grp), t.id), length(t.events), length(s.state)
                FROM fibry_snapshots s %s LEFT JOIN fibry_turns t %s ON t.grp = s.grp AND t.actor = s.actor AND t.rev <= s.rev
                    AND t.rev > CASE WHEN s.actor = ? THEN ? ELSE 0 END
                WHERE s.grp = ? AND s.compacted = 0 AND s.actor >= ? AND NOT (s.actor = ? AND ? = 9223372036854775807)
                ORDER BY s.actor LIMIT ?"""
                .formatted(snapshots, turns);
    }

    /** Sets the parameters of the query for the turns of a step. */
    void step(PreparedStatement query, int group, Instant before, Position from, int most)
            throws SQLException {
        query.setLong(1, before.toEpochMilli());
        query.setString(2, from.key());
        query.setLong(3, from.revision());
        query.setInt(4, group);
        query.setString(5, from.key());
        query.setString(6, from.key());
        query.setLong(7, from.revision());
        query.setInt(8, most);
    }

    // ---- What is read. ----

    /** Reads what a group has, by a query whose first parameter is the number of the group. */
    private <T> List<T> read(String group, String sql, Query<T> query) throws SQLException {
        return reader.run(connection -> {
            var number = group(reader, connection, group);
            if (number.isEmpty()) {
                return List.of();
            }
            var statement = reader.prepared(connection, sql);
            statement.setInt(1, number.get());
            return query.run(statement, number.get());
        });
    }

    @Override
    public final Map<Id, Loaded> load(Collection<Id> ids) throws SQLException {
        var keys = List.copyOf(ids);
        return reader.run(connection -> {
            var logs = new HashMap<Id, Log>();
            each(reader, connection, keys, dialect.log(),
                    (id, rows) -> logs.computeIfAbsent(id, key -> new Log()).add(id, rows));
            var found = new HashMap<Id, Loaded>();
            logs.forEach((id, log) -> {
                if (log.snapshot.isPresent() || !log.turns.isEmpty()) {
                    found.put(id, log.loaded());
                }
            });
            return found;
        });
    }

    @Override
    public final Map<Id, Long> revisions(Collection<Id> ids) throws SQLException {
        return reader.run(connection -> newest(reader, connection, List.copyOf(ids)));
    }

    final Map<Id, Long> newest(SqlSession session, Connection connection, List<Id> ids)
            throws SQLException {
        var found = new HashMap<Id, Long>();
        each(session, connection, ids, REVISION_OF_KEY, (id, rows) -> {
            long revision = rows.getLong(1);
            if (revision > 0) {
                found.merge(id, revision, Math::max);
            }
        });
        return found;
    }

    @Override
    public final List<Turn> history(Id id, long after, int most) throws SQLException {
        return read(id.group(), "SELECT " + JournalRows.TURN
                + " FROM fibry_turns WHERE grp = ? AND actor = ? AND rev > ? ORDER BY rev LIMIT ?",
                (query, number) -> {
                    query.setString(2, id.key());
                    query.setLong(3, after);
                    query.setInt(4, most);
                    return JournalRows.turns(id.group(), query);
                });
    }

    /** Sets the parameters of the condition that a key is in some slices: the second and the third one. */
    private static void set(PreparedStatement query, Slices slices) throws SQLException {
        query.setString(2,
                slices.numbers().stream().map(String::valueOf).collect(Collectors.joining(",", ",", ",")));
        query.setInt(3, slices.of());
    }

    @Override
    public final List<Turn> unsent(String group, Slices slices, Position after, int most)
            throws SQLException {
        return read(group,
                "SELECT " + JournalRows.TURN + " FROM fibry_turns WHERE grp = ? AND " + dialect.unsent()
                        + IN_SLICES
                        + " AND actor >= ? AND (actor, rev) > (?, ?) ORDER BY actor, rev LIMIT ?",
                (query, number) -> {
                    set(query, slices);
                    query.setString(4, after.key()); // an index is used for this, and not everywhere for the pair
                    query.setString(5, after.key());
                    query.setLong(6, after.revision());
                    query.setInt(7, most);
                    return JournalRows.turns(group, query);
                });
    }

    @Override
    public final List<Reminder> due(String group, Slices slices, Instant until, int most)
            throws SQLException {
        return read(group,
                "SELECT " + JournalRows.REMINDER + " FROM fibry_reminders WHERE grp = ?" + IN_SLICES
                        + " AND next <= ? ORDER BY next LIMIT ?",
                (query, number) -> {
                    set(query, slices);
                    query.setLong(4, until.toEpochMilli());
                    query.setInt(5, most);
                    return JournalRows.reminders(group, query);
                });
    }

    @Override
    public final List<Reminder> dueByName(String group, String after, Set<String> without, Instant until,
            int most) throws SQLException {
        var found = new ArrayList<Reminder>();
        for (var name = nameAfter(group, after); name.isPresent() && found.size() < most; name =
                nameAfter(group, name.get())) {
            var now = name.get();
            if (!without.contains(now)) {
                found.addAll(read(group, "SELECT " + JournalRows.REMINDER
                        + " FROM fibry_reminders WHERE grp = ? AND name = ? AND next <= ? ORDER BY next LIMIT ?",
                        (query, number) -> {
                            query.setString(2, now);
                            query.setLong(3, until.toEpochMilli());
                            query.setInt(4, most - found.size());
                            return JournalRows.reminders(group, query);
                        }));
            }
        }
        return found;
    }

    private Optional<String> nameAfter(String group, String name) throws SQLException {
        return read(group,
                "SELECT name FROM fibry_reminders WHERE grp = ? AND name > ? ORDER BY name LIMIT 1",
                (query, number) -> {
                    query.setString(2, name);
                    return JournalRows.all(query, rows -> rows.getString(1));
                }).stream().findFirst();
    }

    @Override
    public final Optional<Reminder> reminder(Id id, String name) throws SQLException {
        return read(id.group(), "SELECT " + JournalRows.REMINDER + " FROM fibry_reminders" + OF_REMINDER,
                (query, number) -> {
                    query.setString(2, id.key());
                    query.setString(3, name);
                    return JournalRows.reminders(id.group(), query);
                }).stream().findFirst();
    }

    @Override
    public final List<Reminder> parked(String group, String key, String name, int most) throws SQLException {
        return read(group, "SELECT " + JournalRows.REMINDER
                + " FROM fibry_reminders WHERE grp = ? AND next = ? AND (actor, name) > (?, ?) ORDER BY actor, name LIMIT ?",
                (query, number) -> {
                    query.setLong(2, Tries.NEVER.toEpochMilli());
                    query.setString(3, key);
                    query.setString(4, name);
                    query.setInt(5, most);
                    return JournalRows.reminders(group, query);
                });
    }

    @Override
    public final Optional<Handled> handled(Message message) throws SQLException {
        return read(message.to().group(),
                """
                        SELECT h.at, h.answer, g.name, h.from_actor, h.from_rev FROM fibry_handled h LEFT JOIN fibry_groups g ON g.grp = h.from_grp
                        WHERE h.grp = ? AND h.actor = ? AND h.id = ?""",
                (query, number) -> {
                    query.setString(2, message.to().key());
                    set(query, 3, message.id());
                    return JournalRows.all(query, rows -> JournalRows.handled(message.id(), rows, 1));
                }).stream().findFirst();
    }

    @Override
    public final List<String> keys(String group, String prefix, String after, int most) throws SQLException {
        return read(group, JournalRows.KEYS + " ORDER BY actor LIMIT " + most,
                (query, number) -> JournalRows.all(JournalRows.range(query, number, prefix, after),
                        rows -> rows.getString(1)));
    }

    @Override
    public final long count(String group, String prefix) throws SQLException {
        return read(group, "SELECT count(*) FROM (" + JournalRows.KEYS + ") k",
                (query, number) -> JournalRows.all(JournalRows.range(query, number, prefix, ""),
                        rows -> rows.getLong(1)))
                .stream()
                .findFirst().orElse(0L);
    }

    @Override
    public final Follower follow(String name, Set<String> names) throws SQLException, IOException {
        var numbers = new HashMap<Integer, String>();
        for (var group : names) {
            numbers.put(group(group), group);
        }
        var follower = follow(name, numbers);
        try (follower) { // its first step connects again: nobody closes it if the thread that waits for it has given up
            follower.place();
        }
        return follower;
    }

    abstract SqlFollower follow(String name, Map<Integer, String> names);

    @Override
    public void close() throws IOException {
        try (writer; reader) {
            // Each of them is closed, whatever the other throws.
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** What is found of a key. */
    private static final class Log {
        private final List<Turn> turns = new ArrayList<>();
        private final List<Handled> handled = new ArrayList<>();
        private Optional<Snapshot> snapshot = Optional.empty();

        void add(Id id, ResultSet rows) throws SQLException {
            switch (rows.getInt(1)) {
                case 1 -> snapshot = Optional.of(new Snapshot(rows.getLong(2), JournalRows.bytes(rows, 4)));
                case 2 -> turns.add(JournalRows.turn(id, rows, 2));
                default -> handled.add(new Handled(uuid(JournalRows.bytes(rows, 4)),
                        Instant.ofEpochMilli(rows.getLong(3)), Optional.empty(), Frames.NONE));
            }
        }

        Loaded loaded() {
            turns.sort(Comparator.comparingLong(Turn::revision));
            return new Loaded(snapshot, turns, handled);
        }
    }

    /** Sets the other parameters of a query, and reads what it finds. */
    private interface Query<T> {
        List<T> run(PreparedStatement query, int group) throws SQLException;
    }
}
