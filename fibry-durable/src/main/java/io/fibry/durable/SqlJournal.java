package io.fibry.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.JDBCType;
import java.sql.ResultSet;
import java.sql.SQLException;
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
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the stores in databases have in common. One connection writes and one reads. Where the database, or a lock
 * that each transaction of a writer takes first, lets one transaction write at a time, a commit sees every turn and
 * every snapshot before it. So it decides itself what is fenced, and turns below a snapshot can be deleted at once.
 * PostgreSQL has more than one writer, and statements of its own.
 */
abstract class SqlJournal implements Journal {
    private static final String OF_REMINDER = " WHERE grp = ? AND actor = ? AND name = ?";
    private static final String OF_TURN = " WHERE grp = ? AND actor = ? AND rev = ?";
    private static final String IN_SLICES = " AND ? LIKE concat('%,', slot % ?, ',%')";

    /** The order in which rows are locked: processes that lock the same ones in other orders would wait for each other. */
    private static final Comparator<Id> BY_KEY = Comparator.comparing(Id::group).thenComparing(Id::key);
    private static final Comparator<Position> BY_REVISION =
            Comparator.comparing(Position::key).thenComparingLong(Position::revision);

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

    // What is parked: the reminders that are not sent any more, and the letters that are sent again, which are few.
    private static final String SENT_NO_MORE =
            " FROM fibry_reminders WHERE grp = ? AND next = " + Tries.NEVER.toEpochMilli();
    private static final String SENT_AGAIN =
            " FROM fibry_reminders WHERE grp = ? AND name >= ? AND name < ' ' AND next < "
                    + Tries.NEVER.toEpochMilli();
    /** An expression, so that letters that are sent again are found by their names, and not among all of a group. */
    private static final String KEY = "concat(actor, '')";

    /** Goes from name to name by the index of the names, so what waits under a name is not read. */
    static final String NAMES =
            """
                    WITH RECURSIVE n(grp, name, place) AS (
                        SELECT grp, name, 1 FROM (SELECT grp, name FROM fibry_reminders WHERE grp = ? AND name > ? ORDER BY name LIMIT 1) f
                        UNION ALL SELECT n.grp, (SELECT r.name FROM fibry_reminders r WHERE r.grp = n.grp AND r.name > n.name ORDER BY r.name LIMIT 1),
                            n.place + 1 FROM n WHERE n.name IS NOT NULL AND n.place < ?)
                    SELECT name, (SELECT min(r.next) FROM fibry_reminders r WHERE r.grp = n.grp AND r.name = n.name) FROM n
                    WHERE name IS NOT NULL ORDER BY place""";

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
     * @param remind writes a reminder
     * @param note writes what was handled
     * @param erase erases the turns of a key from a revision on, and below another one
     * @param unsent the condition that a turn has an outbox that is not empty, as an index has it
     * @param groupOfHandled the number of the group of what was handled, as the index of its times has it
     * @param step reads the turns of a step of a compaction
     * @param mark marks a snapshot whose turns a compaction has looked at
     * @param names reads names of reminders with the first of their next tries, along the index of the names
     */
    record Dialect(String group, String log, String remind, String note, String erase,
            String unsent, String groupOfHandled, String step, String mark, String names) {
        /** Returns the statements of a database in which one transaction writes at a time. */
        static Dialect ofOneWriter(String group, String log, String unsent, String step,
                String names) {
            return new Dialect(group, log,
                    "REPLACE INTO fibry_reminders(grp, actor, name, at, every, message, failed, next, reason, slot) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    "REPLACE INTO fibry_handled(grp, actor, id, at, answer, from_grp, from_actor, from_rev) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                    "DELETE FROM fibry_turns WHERE grp = ? AND actor = ? AND rev >= ? AND rev < ?", unsent,
                    "h.grp", step,
                    """
                            UPDATE fibry_snapshots SET compacted = 1 WHERE grp = ? AND actor = ? AND compacted = 0 AND NOT EXISTS(
                                SELECT 1 FROM fibry_turns t WHERE t.grp = fibry_snapshots.grp AND t.actor = fibry_snapshots.actor
                                    AND t.rev <= fibry_snapshots.rev)""",
                    names);
        }
    }

    static void requireVersion(long found, long known) throws SQLException {
        if (found != known) {
            throw new SQLException("the tables of this database have version " + found
                    + ", and this version of Fibry knows " + known
                    + "; use a version of Fibry that knows them");
        }
    }

    /** Writes a snapshot. */
    void keep(Sql sql, int group, String key, Snapshot snapshot) throws SQLException {
        sql.add("REPLACE INTO fibry_snapshots(grp, actor, rev, state, compacted) VALUES(?, ?, ?, ?, 0)",
                group, key, snapshot.revision(), snapshot.state());
    }

    /** Returns the id of a message as its column has it. */
    Object id(UUID uuid) {
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits()).array();
    }

    UUID id(ResultSet rows, int column) throws SQLException {
        return uuid(rows.getBytes(column));
    }

    private static UUID uuid(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        return new UUID(in.getLong(), in.getLong());
    }

    /** Runs a query for each of some keys. Hands over what it finds for one key after another. */
    abstract void each(Sql sql, List<Id> ids, String query, OfKey row) throws SQLException;

    /** Takes a row of a key. */
    interface OfKey {
        void take(Id id, ResultSet rows) throws SQLException;
    }

    // ---- Groups have numbers. ----

    /** The number of a group, made in a transaction of its own: it stays if the turns are rolled back. */
    final int group(String name) throws SQLException {
        var known = groups.get(name);
        if (known != null) {
            return known;
        }
        int number = writer.write(sql -> {
            sql.update(dialect.group(), name);
            return find(sql, name).orElseThrow();
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
    final Optional<Integer> group(Sql sql, String name) throws SQLException {
        var known = Optional.ofNullable(groups.get(name));
        return known.isPresent() ? known : find(sql, name);
    }

    private static Optional<Integer> find(Sql sql, String name) throws SQLException {
        return sql.first("SELECT grp FROM fibry_groups WHERE name = ?", rows -> rows.getInt(1), name);
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
        return writer.write(sql -> {
            var written = inserts.insert(sql, turns, numbers);
            addRest(sql, written.stream().mapToObj(turns::get).toList(), numbers);
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
        BitSet insert(Sql sql, List<Turn> turns, Map<String, Integer> numbers) throws SQLException;
    }

    /** Adds turns, apart from those that are fenced. Returns which were added. */
    abstract BitSet insert(Sql sql, List<Turn> turns, Map<String, Integer> numbers) throws SQLException;

    /** The same for turns that no actor has made: it does not matter which node is the home of their keys. */
    BitSet insertFromOutside(Sql sql, List<Turn> turns, Map<String, Integer> numbers) throws SQLException {
        return insert(sql, turns, numbers);
    }

    /** Returns the columns of a turn from its group on. */
    static Object[] values(int group, Turn turn) {
        return new Object[]{group, turn.id().key(), turn.revision(), turn.at().toEpochMilli(), turn.events(),
            outbox(turn.outbox()), slot(turn)};
    }

    /** Returns an outbox as its column has it: null if nothing is to be sent. */
    static Object outbox(byte[] outbox) {
        return outbox.length == 0 ? JDBCType.VARBINARY : outbox;
    }

    /** Returns the number of a key, or null for a turn that has no messages: it is never looked for by its slice. */
    static Object slot(Turn turn) {
        return turn.outbox().length == 0 ? JDBCType.INTEGER : Slices.number(turn.id());
    }

    /**
     * Adds what turns have besides. Some reminders may be forgotten and others set, which are two statements: then
     * all are deleted first, so that the rows of both are locked in one order.
     */
    private void addRest(Sql sql, List<Turn> written, Map<String, Integer> numbers) throws SQLException {
        var turns = written.stream().sorted(Comparator.comparing(Turn::id, BY_KEY)).toList();
        for (var turn : turns) {
            if (turn.snapshot().isPresent()) {
                keep(sql, numbers.getOrDefault(turn.id().group(), 0), turn.id().key(), turn.snapshot().get());
            }
        }
        boolean forget = turns.stream().anyMatch(turn -> turn.deleted() || !turn.forgotten().isEmpty());
        for (var turn : forget ? turns : List.<Turn>of()) {
            int group = numbers.getOrDefault(turn.id().group(), 0);
            var key = turn.id().key();
            if (turn.deleted()) {
                sql.add("DELETE FROM fibry_reminders WHERE grp = ? AND actor = ? AND substr(name, 1, 1) <> ?",
                        group, key, Reminder.LETTER);
            }
            var names = new TreeSet<>(turn.forgotten());
            turn.reminders().forEach(reminder -> names.add(reminder.name()));
            for (var name : names) {
                sql.add("DELETE FROM fibry_reminders" + OF_REMINDER, group, key, name);
            }
        }
        for (var turn : turns) {
            for (var reminder : turn.reminders().stream().sorted(Comparator.comparing(Reminder::name))
                    .toList()) {
                sql.add(dialect.remind(), values(reminder, numbers));
            }
        }
        for (var turn : turns) {
            for (var message : turn.handled().stream().sorted(Comparator.comparing(Handled::id)).toList()) {
                var from = message.from();
                sql.add(dialect.note(), numbers.getOrDefault(turn.id().group(), 0), turn.id().key(),
                        id(message.id()), message.at().toEpochMilli(), message.answer(),
                        from.<Object>map(sent -> numbers.getOrDefault(sent.id().group(), 0))
                                .orElse(JDBCType.INTEGER),
                        from.<Object>map(sent -> sent.id().key()).orElse(JDBCType.VARCHAR),
                        from.<Object>map(Sent::revision).orElse(JDBCType.BIGINT));
            }
        }
        sql.runAll();
    }

    private static Object[] values(Reminder reminder, Map<String, Integer> numbers) {
        var tries = reminder.tries();
        return new Object[]{numbers.getOrDefault(reminder.id().group(), 0), reminder.id().key(),
            reminder.name(), reminder.at().toEpochMilli(), reminder.every(), reminder.message(),
            tries.failed(), tries.next().toEpochMilli(), tries.reason(), Slices.number(reminder.id())};
    }

    @Override
    public final void sent(Collection<Sent> turns) throws SQLException {
        var numbers = numbers(turns.stream().map(Sent::id).toList());
        writer.write(sql -> {
            for (var turn : turns.stream()
                    .sorted(Comparator.comparing(Sent::id, BY_KEY).thenComparingLong(Sent::revision))
                    .toList()) {
                sql.add("UPDATE fibry_turns SET outbox = NULL" + OF_TURN,
                        numbers.getOrDefault(turn.id().group(), 0), turn.id().key(), turn.revision());
            }
            sql.runAll();
            return true;
        });
    }

    @Override
    public final void postpone(Collection<Reminder> reminders) throws SQLException {
        var numbers = numbers(reminders.stream().map(Reminder::id).toList());
        writer.write(sql -> {
            for (var reminder : reminders.stream()
                    .sorted(Comparator.comparing(Reminder::id, BY_KEY).thenComparing(Reminder::name))
                    .toList()) {
                var tries = reminder.tries();
                sql.add("UPDATE fibry_reminders SET failed = ?, next = ?, reason = ?" + OF_REMINDER
                        + " AND at = ?", tries.failed(), tries.next().toEpochMilli(), tries.reason(),
                        numbers.getOrDefault(reminder.id().group(), 0), reminder.id().key(), reminder.name(),
                        reminder.at().toEpochMilli());
            }
            sql.runAll();
            return true;
        });
    }

    @Override
    public final boolean park(Sent from, byte[] left, Reminder letter) throws SQLException {
        var numbers = numbers(List.of(from.id()));
        return writer.write(
                sql -> sql.update("UPDATE fibry_turns SET outbox = ?" + OF_TURN + " AND outbox IS NOT NULL",
                        outbox(left), numbers.getOrDefault(from.id().group(), 0), from.id().key(),
                        from.revision()) == 1 && sql.update(dialect.remind(), values(letter, numbers)) > 0);
    }

    @Override
    public final void drop(Reminder reminder, Optional<Instant> next) throws SQLException {
        var which = OF_REMINDER + " AND at = ?";
        var values = List.<Object>of(group(reminder.id().group()), reminder.id().key(), reminder.name(),
                reminder.at().toEpochMilli());
        writer.write(sql -> next.isEmpty()
                ? sql.update("DELETE FROM fibry_reminders" + which, values.toArray())
                : sql.update("UPDATE fibry_reminders SET failed = 0, reason = '', at = ?, next = ?" + which,
                        Stream.concat(Stream.of(next.get().toEpochMilli(), next.get().toEpochMilli()),
                                values.stream()).toArray()));
    }

    @Override
    public final boolean erase(Turn deleted) throws SQLException {
        return !commit(List.of(deleted), (sql, turns, numbers) -> {
            var written = insertFromOutside(sql, turns, numbers);
            if (!written.isEmpty()) {
                int group = numbers.getOrDefault(deleted.id().group(), 0);
                var key = deleted.id().key();
                // The turns first: whoever parks a message locks the row of its turn, so its letter is there by now, or never.
                sql.update("UPDATE fibry_turns SET outbox = NULL WHERE grp = ? AND actor = ? AND rev < ? AND "
                        + dialect.unsent(), group, key, deleted.revision());
                sql.update("DELETE FROM fibry_handled WHERE grp = ? AND actor = ?", group, key);
                sql.update("DELETE FROM fibry_reminders WHERE grp = ? AND actor = ?", group, key);
            }
            return written;
        }).isEmpty();
    }

    @Override
    public OptionalLong eraseBelow(Id id, long below, int most) throws SQLException {
        int group = group(id.group());
        return writer.write(sql -> {
            var revisions = new ArrayList<Long>();
            var sizes = sql
                    .all("SELECT rev, length(events) FROM fibry_turns WHERE grp = ? AND actor = ? AND rev < ?"
                            + " ORDER BY rev DESC LIMIT ?", rows -> {
                                revisions.add(rows.getLong(1));
                                return rows.getLong(2);
                            }, group, id.key(), below, most);
            int count = TurnSize.rowsOfPage(sizes);
            if (count == 0) {
                return OptionalLong.empty();
            }
            long first = revisions.get(count - 1);
            sql.update(dialect.erase(), group, id.key(), first, below);
            return count < most && count == sizes.size() ? OptionalLong.empty() : OptionalLong.of(first);
        });
    }

    @Override
    public final int expire(String group, Instant before, int most) throws SQLException {
        int number = group(group);
        return writer.write(sql -> {
            var old = sql.all("SELECT h.actor, h.id FROM fibry_handled h WHERE " + dialect.groupOfHandled()
                    + """
                             = ? AND h.at < ? AND NOT EXISTS(SELECT 1 FROM fibry_turns t
                                WHERE t.grp = h.from_grp AND t.actor = h.from_actor AND t.rev = h.from_rev AND t.outbox IS NOT NULL)
                            AND NOT EXISTS(SELECT 1 FROM fibry_reminders r WHERE r.grp = h.from_grp AND r.actor = h.from_actor
                                AND r.name > concat(?, h.from_rev, '/') AND r.name < concat(?, h.from_rev, '0'))
                            ORDER BY h.at LIMIT ?""",
                    rows -> Map.entry(rows.getString(1), id(rows, 2)), number,
                    before.toEpochMilli(), Reminder.LETTER, Reminder.LETTER, most);
            old.sort(Map.Entry.<String, UUID>comparingByKey().thenComparing(Map.Entry.comparingByValue()));
            for (var message : old) { // another process may have written it anew
                sql.add("DELETE FROM fibry_handled WHERE grp = ? AND actor = ? AND id = ? AND at < ?", number,
                        message.getKey(), id(message.getValue()), before.toEpochMilli());
            }
            sql.runAll();
            return old.size();
        });
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) throws SQLException {
        int number = group(group);
        return writer.write(sql -> {
            // A projection has begun, or begins when this is committed.
            sql.update("UPDATE fibry_groups SET name = name WHERE grp = ?", number);
            var step = CompactionStep.read(sql.statement(dialect.step(), step(number, before, from, most)),
                    most);
            for (var turn : step.old()) {
                sql.add("DELETE FROM fibry_turns" + OF_TURN, number, turn.key(), turn.revision());
            }
            for (var turn : step.kept().stream().sorted(BY_REVISION).toList()) {
                sql.add("UPDATE fibry_turns SET at = -1 - at" + OF_TURN, number, turn.key(), turn.revision());
            }
            for (var key : step.marked().stream().sorted().toList()) {
                sql.add(dialect.mark(), number, key);
            }
            sql.runAll();
            return step.done();
        });
    }

    /**
     * The rows of a step of a compaction in a database with one writer, in the order of two indexes. The second one is
     * not named by ORDER BY, or the database would read all turns of a key to sort them; if it took them in another
     * order, some would be left to the next compaction. To mark a snapshot writes it again, so its size counts. The
     * newest turn stays while there are projections: SQLite would give its number again. A turn of which only the outbox
     * is kept has -1 - its time, since those behind it are deleted: a projection that begins later does not get it.
     *
     * @param snapshots names the index of the snapshots
     * @param turns names the index of the turns
     */
    static String step(String snapshots, String turns) {
        return """
                SELECT s.actor, t.rev, CASE WHEN t.at < ? AND (t.id < (SELECT max(id) FROM fibry_turns) OR NOT EXISTS(SELECT 1 FROM fibry_places))
                    AND t.id <= coalesce((SELECT min(place) FROM fibry_places p WHERE p.grp = s.grp), t.id)
                    THEN CASE WHEN t.outbox IS NULL THEN 2 WHEN t.at >= 0 THEN 1 ELSE 0 END ELSE 0 END, length(t.events), 1 + length(s.state)
                FROM fibry_snapshots s %s LEFT JOIN fibry_turns t %s ON t.grp = s.grp AND t.actor = s.actor AND t.rev <= s.rev
                    AND t.rev > CASE WHEN s.actor = ? THEN ? ELSE 0 END
                WHERE s.grp = ? AND s.compacted = 0 AND s.actor >= ? AND NOT (s.actor = ? AND ? = 9223372036854775807)
                ORDER BY s.actor LIMIT ?"""
                .formatted(snapshots, turns);
    }

    /** Returns the parameters of the query for the turns of a step. */
    Object[] step(int group, Instant before, Position from, int most) {
        return new Object[]{before.toEpochMilli(), from.key(), from.revision(), group, from.key(), from.key(),
            from.revision(), most};
    }

    // ---- What is read. ----

    /** Reads what a group has, by a query whose first parameter is the number of the group. */
    private <T> List<T> read(String group, String query, Sql.Row<T> row, Object... values)
            throws SQLException {
        return reader.run(sql -> {
            var number = group(sql, group);
            return number.isEmpty() ? List.of()
                    : sql.all(query, row, Stream.concat(number.stream(), Stream.of(values)).toArray());
        });
    }

    @Override
    public final Map<Id, Loaded> load(Collection<Id> ids) throws SQLException {
        return reader.run(sql -> {
            var logs = new HashMap<Id, Log>();
            each(sql, List.copyOf(ids), dialect.log(),
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
        return reader.run(sql -> newest(sql, List.copyOf(ids)));
    }

    final Map<Id, Long> newest(Sql sql, List<Id> ids) throws SQLException {
        var found = new HashMap<Id, Long>();
        each(sql, ids, REVISION_OF_KEY, (id, rows) -> {
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
                JournalRows.turns(id.group()), id.key(), after, most);
    }

    /** Returns the numbers of slices as a parameter of the condition that a key is in one of them. */
    private static String text(Slices slices) {
        return slices.numbers().stream().map(String::valueOf).collect(Collectors.joining(",", ",", ","));
    }

    @Override
    public final List<Turn> unsent(String group, Slices slices, Position after, int most)
            throws SQLException {
        return page(group, JournalRows.TURN, "length(events) + length(outbox)",
                "fibry_turns WHERE grp = ? AND " + dialect.unsent() + IN_SLICES
                        + " AND actor >= ? AND (actor, rev) > (?, ?) ORDER BY actor, rev",
                // An index is used for the key alone, and not everywhere for the pair.
                JournalRows.turns(group), most, page -> Turn.isFull(page, most), text(slices), slices.of(),
                after.key(), after.key(),
                after.revision());
    }

    /**
     * Reads the first rows of a query, as many as are a page. Of other rows only the size is read. Where the order leaves a
     * choice, the second query may return other rows than the first one, of fewer bytes: then it is repeated for more rows.
     */
    private <T> List<T> page(String group, String columns, String bytes, String from, Sql.Row<T> row,
            int most, Predicate<List<T>> isFull, Object... values) throws SQLException {
        return reader.run(sql -> {
            var number = group(sql, group);
            if (number.isEmpty()) {
                return List.of();
            }
            var parameters = new ArrayList<Object>(number.stream().toList());
            parameters.addAll(List.of(values));
            parameters.add(most);
            var sizes = sql.all("SELECT " + bytes + " FROM " + from + " LIMIT ?", found -> found.getLong(1),
                    parameters.toArray());
            var page = List.<T>of();
            for (int rows = TurnSize.rowsOfPage(sizes); page.size() < sizes.size()
                    && !isFull.test(page); rows =
                            Math.min(2 * rows, sizes.size())) {
                parameters.set(parameters.size() - 1, rows);
                page = sql.all("SELECT " + columns + " FROM " + from + " LIMIT ?", row, parameters.toArray());
            }
            return page;
        });
    }

    private List<Reminder> due(String group, String where, int most, Object... values) throws SQLException {
        return page(group, JournalRows.REMINDER, "length(message)",
                "fibry_reminders WHERE grp = ?" + where + " AND next <= ? ORDER BY next",
                JournalRows.reminders(group), most, page -> Reminder.isFull(page, most), values);
    }

    private List<Reminder> reminders(String group, String where, Object... values) throws SQLException {
        return read(group, "SELECT " + JournalRows.REMINDER + " FROM fibry_reminders WHERE grp = ?" + where,
                JournalRows.reminders(group), values);
    }

    @Override
    public final List<Reminder> due(String group, Slices slices, Instant until, int most)
            throws SQLException {
        return due(group, IN_SLICES, most, text(slices), slices.of(), until.toEpochMilli());
    }

    @Override
    public final List<Named> names(String group, String after, int most) throws SQLException {
        return read(group, dialect.names(),
                rows -> new Named(rows.getString(1), Instant.ofEpochMilli(rows.getLong(2))), after, most);
    }

    @Override
    public final List<Reminder> dueByName(String group, String name, Instant until, int most)
            throws SQLException {
        return due(group, " AND name = ?", most, name, until.toEpochMilli());
    }

    @Override
    public final Optional<Reminder> reminder(Id id, String name) throws SQLException {
        return reminders(id.group(), " AND actor = ? AND name = ?", id.key(), name).stream().findFirst();
    }

    @Override
    public final List<Reminder> parked(String group, String key, String name, int most) throws SQLException {
        return parked(group, JournalRows.reminders(group),
                halves("SELECT " + JournalRows.REMINDER,
                        " AND actor >= ? AND (actor, name) > (?, ?) ORDER BY actor, name", "UNION ALL",
                        "1, 2"),
                List.of(key, key, name), List.of(most));
    }

    @Override
    public final int countParked(String group) throws SQLException {
        return parked(group, rows -> rows.getInt(1), "SELECT (SELECT count(*)" + SENT_NO_MORE
                + ") + (SELECT count(*)" + SENT_AGAIN + ")", List.of(), List.of()).stream().findFirst()
                .orElse(0);
    }

    @Override
    public final List<String> keysOfParked(String group, String after, int most) throws SQLException {
        return parked(group, rows -> rows.getString(1),
                halves("SELECT DISTINCT actor",
                        " AND actor > ? AND substr(name, 1, 1) = '" + Reminder.LETTER + "' ORDER BY actor",
                        "UNION", "1"),
                List.of(after), List.of(most));
    }

    /** Returns a query for both halves of what is parked. Each has an order and a limit, or MariaDB would sort all of it. */
    private static String halves(String select, String where, String union, String order) {
        return "SELECT * FROM (" + select + SENT_NO_MORE + where + " LIMIT ?) n " + union + " SELECT * FROM ("
                + (select + SENT_AGAIN + where).replace("actor", KEY) + " LIMIT ?) a ORDER BY " + order
                + " LIMIT ?";
    }

    /** Reads what is parked behind something. */
    private <T> List<T> parked(String group, Sql.Row<T> row, String query, List<Object> after,
            List<Object> most) throws SQLException {
        return reader.run(sql -> {
            var number = group(sql, group);
            if (number.isEmpty()) {
                return List.of();
            }
            var values = new ArrayList<Object>(List.of(number.get()));
            values.addAll(after);
            values.addAll(most);
            values.addAll(List.of(number.get(), Reminder.LETTER));
            values.addAll(after);
            values.addAll(most);
            values.addAll(most);
            return sql.all(query, row, values.toArray());
        });
    }

    @Override
    public final Optional<Handled> handled(Id to, UUID id) throws SQLException {
        return read(to.group(),
                """
                        SELECT h.at, h.answer, g.name, h.from_actor, h.from_rev FROM fibry_handled h LEFT JOIN fibry_groups g ON g.grp = h.from_grp
                        WHERE h.grp = ? AND h.actor = ? AND h.id = ?""",
                rows -> JournalRows.handled(id, rows, 1), to.key(), id(id))
                .stream().findFirst();
    }

    @Override
    public final List<String> keys(String group, String prefix, String after, int most) throws SQLException {
        // It is a part of the statement, by which PostgreSQL plans it, and each statement is kept: so there are few.
        int limit = most > 1 << 30 ? most : Math.max(1, Integer.highestOneBit(most - 1) << 1);
        // No key is longer than the last text.
        var end = prefix + JournalRows.LAST.repeat(Id.MOST_KEY / JournalRows.LAST.length() + 1);
        return reader.run(sql -> {
            var number = group(sql, group);
            return number.isEmpty() ? List.of()
                    : sql.all(JournalRows.KEYS + " ORDER BY actor LIMIT " + limit, rows -> rows.getString(1),
                            number.get(), after, prefix, end, number.get(), after, prefix, end)
                            .stream().limit(most).toList();
        });
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
}
