package io.fibry.durable;

import io.fibry.internal.keyed.SliceWork.HomeRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the logs in PostgreSQL, which several processes may share. One connection writes and one reads. A connection that has
 * failed is replaced at the next call.
 *
 * <p>Turns that a snapshot covers are deleted, and then the primary key no longer fences a writer that is behind. So a turn
 * is also fenced by a snapshot that is not older. An insert judges by what was committed when it began, and it may wait
 * after that. So turns are deleted only under a snapshot that was committed so long ago that all statements that do not see
 * it have timed out: each snapshot row has a floor, a revision that snapshots have covered since a time. A compaction
 * deletes the turns up to a floor that is old enough, and then moves it up to the snapshot, which was committed before. The
 * new floor is used when it is old enough. So each turn that a snapshot covers is deleted, whether its key goes on or rests.
 *
 * <p>When nothing is left below a floor that has reached the snapshot and is old enough, the row is marked, and compactions do
 * not read it until there is a new snapshot. The mark changes nothing for writers: one that is behind sees the snapshot, since
 * statements that do not see it have timed out.
 */
final class PostgresJournal extends SqlJournal {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresJournal.class);
    /** A floor is old enough after so many times the limit. */
    private static final int FLOOR_LIMITS = 12;
    static final String LOG_WITH_BYTES = LOG_OF_KEY.replace("at, id, NULL", "at, uuid_send(id), NULL");
    private static final String KEEP =
            """
                    INSERT INTO fibry_snapshots(grp, actor, rev, state, floor_rev, floor_at, compacted) VALUES(?, ?, ?, ?, ?, clock_timestamp(), 0)
                    ON CONFLICT(grp, actor) DO UPDATE SET rev = excluded.rev, state = excluded.state, compacted = 0""";
    /** A snapshot may have become newer since the step was read: the floor moves then. */
    private static final String MARK =
            """
                    UPDATE fibry_snapshots s SET floor_rev = s.rev, floor_at = CASE WHEN s.floor_rev < s.rev THEN clock_timestamp() ELSE s.floor_at END,
                        compacted = CASE WHEN s.floor_rev < s.rev THEN 0 ELSE 1 END
                    WHERE s.grp = ? AND s.actor = ? AND (s.floor_rev < s.rev OR NOT EXISTS(
                        SELECT 1 FROM fibry_turns t WHERE t.grp = s.grp AND t.actor = s.actor AND t.rev <= s.rev))""";
    private static final String REMIND =
            """
                    INSERT INTO fibry_reminders(grp, actor, name, at, every, message, failed, next, reason, slot) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT(grp, actor, name) DO UPDATE SET at = excluded.at, every = excluded.every, message = excluded.message,
                        failed = excluded.failed, next = excluded.next, reason = excluded.reason""";
    /**
     * The rows of a step of a compaction. The inner query is run for one key after another, until there are enough rows; if
     * PostgreSQL took the keys in another order, some turns would be left to the next compaction.
     */
    static final String STEP =
            """
                    SELECT s.actor, t.rev, t.old, t.size, CASE WHEN s.floor > 0 THEN 1 ELSE 0 END FROM
                        (SELECT s.actor, CASE WHEN s.floor_at < clock_timestamp() - ? * interval '1 millisecond' THEN s.floor_rev ELSE 0 END AS floor
                            FROM fibry_snapshots s WHERE s.grp + 0 = ? AND s.compacted = 0 AND s.actor >= ? AND NOT (s.actor = ? AND ? = 9223372036854775807)
                            ORDER BY s.actor LIMIT ?) s
                        LEFT JOIN LATERAL (SELECT t.rev, CASE WHEN t.at < ? AND t.id <= coalesce((SELECT min(p.place) FROM fibry_places p WHERE p.grp = t.grp), t.id)
                                THEN CASE WHEN t.outbox IS NULL THEN 2 WHEN t.at >= 0 THEN 1 ELSE 0 END ELSE 0 END AS old, octet_length(t.events) AS size
                            FROM fibry_turns t WHERE t.grp = ? AND t.actor = s.actor AND t.rev <= s.floor
                                AND t.rev > CASE WHEN s.actor = ? THEN ? ELSE 0 END ORDER BY t.rev LIMIT ?) t ON true
                    LIMIT ?""";

    private static final Dialect DIALECT = new Dialect(
            "INSERT INTO fibry_groups(name) VALUES(?) ON CONFLICT DO NOTHING", LOG_WITH_BYTES, REMIND,
            """
                    INSERT INTO fibry_handled(grp, actor, id, at, answer, from_grp, from_actor, from_rev) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT(grp, actor, id) DO UPDATE SET at = excluded.at, answer = excluded.answer""",
            // The rows of turns stay until a compaction deletes them: a writer that is behind might get in below the snapshot.
            "UPDATE fibry_turns SET at = -1, events = '' WHERE grp = ? AND actor = ? AND rev >= ? AND rev < ? AND NOT (at = -1 AND events = '')",
            "outbox IS NOT NULL", "h.grp + 0", STEP, MARK, NAMES);

    private final SqlSession.Source source;
    private final Duration limit;
    private final HomeRows homes = new HomeRows();
    /** What is added to the numbers of transactions. Written by the thread that opens the journal, before others get it. */
    private long shift;

    private PostgresJournal(SqlSession.Source source, Duration limit) {
        super(session(source, limit, Connection.TRANSACTION_READ_COMMITTED),
                session(source, limit, Connection.TRANSACTION_REPEATABLE_READ), DIALECT);
        this.source = source;
        this.limit = limit;
    }

    /**
     * A session keeps the plans of its statements: PostgreSQL would plan those that have arrays each time, which takes
     * longer than a lone turn. A plan that was made while a table was small would read the whole table, and go on
     * doing so while the table grows, until the statistics are new. So statements use an index wherever there is one.
     */
    private static SqlSession session(SqlSession.Source source, Duration limit, int isolation) {
        return new SqlSession(source, new SqlSession.Settings(limit, isolation,
                List.of("SET statement_timeout = " + limit.toMillis(),
                        "SET idle_in_transaction_session_timeout = " + limit.toMillis(),
                        "SET enable_seqscan = off", "SET plan_cache_mode = force_generic_plan"),
                List.of("SELECT pg_advisory_unlock_all()", "RESET statement_timeout",
                        "RESET idle_in_transaction_session_timeout", "RESET enable_seqscan",
                        "RESET plan_cache_mode", "RESET default_transaction_isolation"),
                "", new ReentrantLock()));
    }

    static PostgresJournal open(SqlSession.Source source, Duration limit) throws SQLException {
        var journal = new PostgresJournal(source, limit);
        journal.writer.run(sql -> {
            var encoding = show(sql, "server_encoding");
            if (!encoding.equals("UTF8")) { // one key that it does not have would fail all that is in the same group
                throw new SQLException("the database does not keep every text: its encoding is " + encoding
                        + " and not UTF8; make one with ENCODING 'UTF8' TEMPLATE template0");
            }
            journal.shift = PostgresTables.make(sql);
            warn(sql);
            return true;
        });
        return journal;
    }

    private static void warn(Sql sql) throws SQLException {
        if (!"on".equals(show(sql, "fsync"))) {
            LOG.warn(
                    "PostgreSQL runs with fsync=off: what it has committed is lost if its machine loses power; set fsync=on");
        }
        if ("off".equals(show(sql, "synchronous_commit"))) {
            LOG.warn(
                    "PostgreSQL runs with synchronous_commit=off: what it has committed may be lost if it ends; set synchronous_commit=on");
        }
    }

    private static String show(Sql sql, String name) throws SQLException {
        return sql.first("SHOW " + name, rows -> rows.getString(1)).orElse("");
    }

    @Override
    BitSet insert(Sql sql, List<Turn> turns, Map<String, Integer> numbers) throws SQLException {
        var may = homes.hold(sql, turns);
        if (may.cardinality() == turns.size()) {
            return PostgresTurns.insert(sql, turns, numbers, shift);
        }
        var held = may.stream().mapToObj(turns::get).toList();
        return placesOf(PostgresTurns.insert(sql, held, numbers, shift), may);
    }

    /** Another statement holds the rows of homes, and one takes back turns of a key that are behind a fenced one. */
    @Override
    boolean isOneStatement(List<Turn> turns) {
        return homes.isEmpty() && turns.stream().map(Turn::id).distinct().count() == turns.size();
    }

    /** Returns the bits of {@code all} that {@code some} chooses: bit i of {@code some} stands for its i-th set bit. */
    private static BitSet placesOf(BitSet some, BitSet all) {
        var places = all.stream().toArray();
        var found = new BitSet();
        some.stream().forEach(each -> found.set(places[each]));
        return found;
    }

    /** Commits turns that no actor has made. */
    BitSet commitFromOutside(List<Turn> turns) throws SQLException {
        return commit(turns, this::insertFromOutside);
    }

    @Override
    BitSet insertFromOutside(Sql sql, List<Turn> turns, Map<String, Integer> numbers) throws SQLException {
        return PostgresTurns.insert(sql, turns, numbers, shift);
    }

    /** This node is the home of a slice of a group from now on. */
    void begin(String group, int slice, int slices, Optional<HomeRow> row) {
        homes.begin(group, slice, slices, row);
    }

    @Override
    void keep(Sql sql, int group, String key, Snapshot snapshot) throws SQLException {
        long revision = snapshot.revision();
        // mutant: rows-below-a-new-snapshot-are-deleted
        sql.add(KEEP, group, key, revision, snapshot.state(), revision);
    }

    @Override
    Object id(UUID uuid) {
        return uuid;
    }

    @Override
    UUID id(ResultSet rows, int column) throws SQLException {
        return rows.getObject(column, UUID.class);
    }

    @Override
    SqlFollower follow(String name, Map<Integer, String> names) {
        return new SqlFollower(SqlFollower.Database.POSTGRES, name, names, shift,
                session(source, limit, Connection.TRANSACTION_READ_COMMITTED));
    }

    /** Returns how old a floor must be, in milliseconds. */
    private long window() {
        return limit.multipliedBy(FLOOR_LIMITS).toMillis();
    }

    @Override
    Object[] step(int group, Instant before, Position from, int most) {
        return new Object[]{window(), group, from.key(), from.key(), from.revision(), most,
            before.toEpochMilli(), group, from.key(), from.revision(), most, most};
    }

    @Override
    void each(Sql sql, List<Id> ids, String query, OfKey row) throws SQLException {
        var find = sql.statement(ofKeys(query), ids.stream().map(Id::group).toArray(String[]::new),
                ids.stream().map(Id::key).toArray(String[]::new));
        try (var rows = find.executeQuery()) {
            int place = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                row.take(ids.get(rows.getInt(place) - 1), rows);
            }
        }
    }

    /**
     * Returns a query for keys, made of one for a key. PostgreSQL plans it without knowing how many keys there are,
     * and would join them with whole tables. OFFSET 0 makes it run the inner query for each key, with the primary key.
     */
    static String ofKeys(String query) {
        return """
                SELECT q.* FROM (SELECT k.n, g.grp, k.actor FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS k(name, actor, n)
                    JOIN fibry_groups g ON g.name = k.name) i CROSS JOIN LATERAL (%s OFFSET 0) q"""
                .formatted(query.formatted("i.grp", "i.actor", "i.n"));
    }

    @Override
    public boolean isForManyProcesses() {
        return true;
    }
}
