package io.fibry.durable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** What the stores in databases have in common. One connection writes and one reads. */
abstract class SqlJournal implements Journal {
    private static final String OF_REMINDER = " WHERE grp = ? AND key = ? AND name = ?";
    private static final String OF_TURN = " WHERE grp = ? AND key = ? AND rev = ?";

    final SqlSession writer;
    /** Each of its transactions sees one moment: a snapshot that is written between two statements would hide turns. */
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
     * @param keep writes a snapshot
     * @param remind writes a reminder
     * @param note writes what was handled
     * @param erase erases the turns of a key below a revision
     * @param inSlices the condition that a key is in some slices
     */
    record Dialect(String group, String keep, String remind, String note, String erase, String inSlices) {
    }

    /** Sets the parameters of the statement that writes a snapshot, from the fifth. */
    void keep(PreparedStatement keep, Snapshot snapshot) throws SQLException {
        // There are none.
    }

    /** Sets the parameters of the statement that writes a reminder, from the tenth. */
    void remind(PreparedStatement remind, Reminder reminder) throws SQLException {
        // There are none.
    }

    abstract void set(PreparedStatement statement, int index, UUID uuid) throws SQLException;

    /** Sets the parameters of the condition that a key is in some slices. Returns the next one. */
    abstract int set(PreparedStatement statement, int index, Slices slices) throws SQLException;

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
        int number = writer.run(connection -> {
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
    final Optional<Integer> group(Connection connection, String name) throws SQLException {
        var known = Optional.ofNullable(groups.get(name));
        return known.isPresent() ? known : find(reader, connection, name);
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
        var ids = new LinkedHashSet<Id>();
        for (var turn : turns) {
            ids.add(turn.id());
            turn.handled().forEach(message -> message.from().ifPresent(sender -> ids.add(sender.id())));
        }
        var numbers = numbers(ids);
        return writer.run(connection -> {
            var written = insert(connection, turns, numbers);
            addRest(connection, turns, written, numbers);
            return written;
        });
    }

    /** Adds turns, apart from those that are fenced. Returns which were added. */
    abstract BitSet insert(Connection connection, List<Turn> turns, Map<String, Integer> numbers)
            throws SQLException;

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
                        "DELETE FROM fibry_reminders WHERE grp = ? AND key = ? AND substr(name, 1, 1) <> ?");
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
        remind(remind, reminder);
        return remind;
    }

    @Override
    public final void sent(Collection<Sent> turns) throws SQLException {
        var numbers = numbers(turns.stream().map(Sent::id).toList());
        writer.run(connection -> {
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
        writer.run(connection -> {
            var update = writer.prepared(connection,
                    "UPDATE fibry_reminders SET failed = ?, next = ?, reason = ? WHERE grp = ? AND key = ? AND name = ? AND at = ?");
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
        writer.run(connection -> {
            var park = writer.prepared(connection,
                    "UPDATE fibry_turns SET outbox = ? WHERE grp = ? AND key = ? AND rev = ? AND outbox IS NOT NULL");
            park.setBytes(1, left.length == 0 ? null : left);
            park.setInt(2, numbers.getOrDefault(from.id().group(), 0));
            park.setString(3, from.id().key());
            park.setLong(4, from.revision());
            return park.executeUpdate() == 1 && remind(connection, letter, numbers).executeUpdate() == 1;
        });
    }

    @Override
    public final void drop(Collection<Reminder> reminders) throws SQLException {
        var numbers = numbers(reminders.stream().map(Reminder::id).toList());
        writer.run(connection -> {
            var drop =
                    writer.prepared(connection, "DELETE FROM fibry_reminders" + OF_REMINDER + " AND at = ?");
            for (var reminder : reminders) {
                at(drop, numbers.getOrDefault(reminder.id().group(), 0), reminder.id());
                drop.setString(3, reminder.name());
                drop.setLong(4, reminder.at().toEpochMilli());
                drop.addBatch();
            }
            return drop.executeBatch();
        });
    }

    @Override
    public final void erase(Id id, long revision) throws SQLException {
        int group = group(id.group());
        writer.run(connection -> {
            of(id, group, connection, "DELETE FROM fibry_handled WHERE grp = ? AND key = ?").executeUpdate();
            of(id, group, connection, "DELETE FROM fibry_reminders WHERE grp = ? AND key = ?")
                    .executeUpdate();
            var erase = of(id, group, connection, dialect.erase());
            erase.setLong(3, revision);
            return erase.executeUpdate();
        });
    }

    // ---- What is read. ----

    /** Reads what a group has, by a query whose first parameter is the number of the group. */
    private <T> List<T> read(String group, String sql, Query<T> query) throws SQLException {
        return reader.run(connection -> {
            var number = group(connection, group);
            if (number.isEmpty()) {
                return List.of();
            }
            var statement = reader.prepared(connection, sql);
            statement.setInt(1, number.get());
            return query.run(statement, number.get());
        });
    }

    @Override
    public final List<Turn> history(Id id, long after, int most) throws SQLException {
        return read(id.group(), "SELECT " + JournalRows.TURN
                + " FROM fibry_turns WHERE grp = ? AND key = ? AND rev > ? ORDER BY rev LIMIT ?",
                (query, number) -> {
                    query.setString(2, id.key());
                    query.setLong(3, after);
                    query.setInt(4, most);
                    return JournalRows.turns(id.group(), query);
                });
    }

    @Override
    public final List<Turn> unsent(String group, Slices slices, Position after, int most)
            throws SQLException {
        return read(group,
                "SELECT " + JournalRows.TURN + " FROM fibry_turns WHERE grp = ? AND outbox IS NOT NULL"
                        + dialect.inSlices() + " AND (key, rev) > (?, ?) ORDER BY key, rev LIMIT ?",
                (query, number) -> {
                    int next = set(query, 2, slices);
                    query.setString(next, after.key());
                    query.setLong(next + 1, after.revision());
                    query.setInt(next + 2, most);
                    return JournalRows.turns(group, query);
                });
    }

    @Override
    public final List<Reminder> due(String group, Slices slices, Instant until, int most)
            throws SQLException {
        return read(group,
                "SELECT " + JournalRows.REMINDER + " FROM fibry_reminders WHERE grp = ?" + dialect.inSlices()
                        + " AND next <= ? ORDER BY next LIMIT ?",
                (query, number) -> {
                    int next = set(query, 2, slices);
                    query.setLong(next, until.toEpochMilli());
                    query.setInt(next + 1, most);
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
                + " FROM fibry_reminders WHERE grp = ? AND next = ? AND (key, name) > (?, ?) ORDER BY key, name LIMIT ?",
                (query, number) -> {
                    query.setLong(2, Tries.NEVER.toEpochMilli());
                    query.setString(3, key);
                    query.setString(4, name);
                    query.setInt(5, most);
                    return JournalRows.reminders(group, query);
                });
    }

    @Override
    public final Map<Message, Handled> handled(Collection<Message> messages) throws SQLException {
        var found = new HashMap<Message, Handled>();
        for (var message : messages) {
            read(message.to().group(),
                    """
                            SELECT h.at, h.answer, g.name, h.from_key, h.from_rev FROM fibry_handled h LEFT JOIN fibry_groups g ON g.grp = h.from_grp
                            WHERE h.grp = ? AND h.key = ? AND h.id = ?""",
                    (query, number) -> {
                        query.setString(2, message.to().key());
                        set(query, 3, message.id());
                        return JournalRows.all(query, rows -> JournalRows.handled(message.id(), rows, 1));
                    }).forEach(handled -> found.put(message, handled));
        }
        return found;
    }

    @Override
    public final List<String> keys(String group, String prefix, String after, int most) throws SQLException {
        return read(group, JournalRows.KEYS + " ORDER BY key LIMIT " + most,
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
    public final Follower follow(String name, Set<String> names) throws SQLException {
        var numbers = new HashMap<Integer, String>();
        for (var group : names) {
            numbers.put(group(group), group);
        }
        var follower = follow(name, numbers);
        follower.place(); // a transaction that fails closes the connection
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

    /** Sets the other parameters of a query, and reads what it finds. */
    private interface Query<T> {
        List<T> run(PreparedStatement query, int group) throws SQLException;
    }
}
