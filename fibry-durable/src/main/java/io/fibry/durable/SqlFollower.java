package io.fibry.durable;

import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Numbered;
import io.fibry.durable.Journal.Progress;
import io.fibry.durable.Journal.Work;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Hands the turns of a database to a projection, on a connection of its own. The turns are read in the order of their numbers,
 * those of other groups as well, so a page reads a bounded number of rows.
 *
 * <p>SQLite and {@link MariaJournal MariaDB} let one transaction write at a time, so numbers grow with the commits. PostgreSQL
 * has many, and a turn may be committed after others with higher numbers. There a number begins with the number of its
 * transaction, which the turn gets when its statement has taken its snapshot. Only turns of transactions below the oldest one
 * that runs are read ({@code pg_snapshot_xmin}): all of these have ended, none can come any more, and no later transaction has
 * a lower number. Of one key, a turn sees the one before committed, so its transaction began to write later and has a higher
 * number. A transaction of another program that has written and does not end holds up what is handed over, and loses nothing.
 *
 * <p>The place moves by a statement that names the one before, in the transaction of the work if there is one. So no
 * turn is handed over twice there, whatever the lock does that lets one process work at a time.
 */
final class SqlFollower implements Journal.Follower {
    /** The kinds of databases, with the statements that lock and unlock a name. */
    enum Database {
        /** One process, and one transaction that writes at a time. */
        SQLITE("", ""),
        /** Any number of processes, and one transaction that writes at a time. */
        MARIADB("SELECT get_lock(concat('fibry/', md5(concat(database(), '/', ?))), 0)",
                "SELECT release_lock(concat('fibry/', md5(concat(database(), '/', ?))))"),
        /** Any number of processes, and of transactions that write at the same time. */
        POSTGRES("SELECT pg_try_advisory_lock(hashtextextended(current_schema() || '/' || ?, 85))",
                "SELECT pg_advisory_unlock(hashtextextended(current_schema() || '/' || ?, 85))");

        private final String lock;
        private final String unlock;

        Database(String lock, String unlock) {
            this.lock = lock;
            this.unlock = unlock;
        }
    }

    /** How many bits of a number tell the turn from the others of its transaction. */
    static final int BITS_OF_TURN = 20;

    private static final int ROWS_AT_ONCE = 100;
    /** So many turns that are held up are looked at: they may be of other groups. */
    private static final int MOST_HELD_UP = 1_000;

    private final Database database;
    private final String name;
    private final Map<Integer, String> groups;
    private final String numbers;
    private final SqlSession session;
    private final String read;
    private final String heldUp;
    /** The place, as it was read last. Another process may have moved it, also back. */
    private long place = START;
    /** No turn of the groups is between that place and this number. */
    private long seen = START;

    /**
     * @param groups the names of the groups by their numbers
     * @param shift what is added to the numbers of transactions
     */
    SqlFollower(Database database, String name, Map<Integer, String> groups, long shift, SqlSession session) {
        this.database = database;
        this.name = name;
        this.groups = groups;
        this.session = session;
        numbers = groups.keySet().stream().map(String::valueOf).collect(Collectors.joining(", "));
        // mutant: turns-of-transactions-that-run-are-passed-over
        var bound = database != Database.POSTGRES ? "9223372036854775807"
                : "(pg_snapshot_xmin(pg_current_snapshot())::text::bigint + " + shift + " << " + BITS_OF_TURN
                        + ")";
        read = "SELECT id, grp, actor, rev, at, CASE WHEN grp IN (" + numbers
                + ") THEN events END, NULL FROM fibry_turns WHERE id > ? AND id < " + bound
                + " ORDER BY id LIMIT ?";
        heldUp = "SELECT at FROM (SELECT id, grp, at FROM fibry_turns WHERE id >= " + bound
                + " ORDER BY id LIMIT " + MOST_HELD_UP + ") t WHERE grp IN (" + numbers
                + ") AND at >= 0 ORDER BY id LIMIT 1";
    }

    @Override
    public Progress step(int most, boolean inTransaction, Work work) throws Exception {
        try {
            boolean isMine = isFree();
            var progress = step(most, inTransaction, isMine, work);
            if (isMine && database != Database.SQLITE) {
                session.run(sql -> ask(sql, database.unlock));
            }
            return progress;
        } catch (Exception | Error e) {
            try {
                session.close(); // and with it the lock
            } catch (SQLException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    private Progress step(int most, boolean inTransaction, boolean isMine, Work work) throws Exception {
        var found = place();
        if (!found.groups().equals(groups.keySet())) {
            throw otherKinds(name, groups.values());
        }
        long from = found.number();
        if (from != place) {
            place = from;
            seen = from;
        }
        var page = session.run(sql -> page(sql, most));
        if (page.turns().isEmpty()) {
            seen = page.end();
        }
        if (!isMine || found.isPaused()) {
            return new Progress(
                    page.turns().stream().map(each -> each.turn().at()).findFirst().or(page::heldUp),
                    page.turns().isEmpty() && page.isFull());
        }
        if (page.turns().isEmpty() && from != START) {
            if (page.isFull()) {
                session.write(sql -> move(sql, from, page.end()));
            }
        } else {
            long to = Math.max(0, page.end());
            if (inTransaction) {
                session.write(sql -> take(work, sql, from, to, page.turns()));
            } else {
                if (database == Database.MARIADB) { // what was committed before is brought to the disk
                    session.write(sql -> sql.update("UPDATE fibry_schema SET flushes = flushes + 1"));
                }
                work.take(Optional.empty(), from, page.turns());
                session.write(sql -> move(sql, from, to));
            }
        }
        return new Progress(page.heldUp(), page.isFull() || page.heldUp().isPresent());
    }

    /**
     * In MariaDB a statement that makes a table commits. So the place moves last there, and turns of a work that did
     * so come again rather than never.
     */
    private boolean take(Work work, Sql sql, long from, long to, List<Numbered> turns)
            throws SQLException {
        boolean movesLast = database == Database.MARIADB;
        if (!move(sql, from, movesLast ? from : to)) {
            return false;
        }
        if (database == Database.POSTGRES) {
            sql.execute(List.of("SET LOCAL enable_seqscan = on"));
        }
        try {
            work.take(Optional.of(sql.connection), from, turns);
            if (movesLast && !move(sql, from, to)) {
                throw new SQLException("the projection " + name + " was moved meanwhile");
            }
            return true;
        } catch (SQLException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException("the handler of the projection " + name + " has thrown: " + e, e);
        }
    }

    /** Tells whether no other process is at work, and lets none begin. A file has no other process. */
    private boolean isFree() throws SQLException {
        return database == Database.SQLITE
                || session.run(sql -> ask(sql, database.lock));
    }

    private boolean ask(Sql sql, String function) throws SQLException {
        return sql.first(function, rows -> rows.getBoolean(1), name).orElse(false);
    }

    /** Returns the place, and makes it if it is not there: turns are kept for it from now on. */
    Place place() throws SQLException {
        var found = session.run(this::find);
        return found.isPresent() ? found.get() : session.write(this::findOrBegin);
    }

    private Place findOrBegin(Sql sql) throws SQLException {
        hold(sql);
        var found = find(sql);
        return found.isPresent() ? found.get() : begin(sql, false);
    }

    /**
     * Lets no other process begin, and no compaction delete turns, until the end of the transaction. A transaction that writes
     * begins with a write: SQLite refuses the first one after a read if another connection has written meanwhile.
     */
    private void hold(Sql sql) throws SQLException {
        sql.update("UPDATE fibry_groups SET name = name WHERE grp IN (" + numbers + ")");
    }

    private Optional<Place> find(Sql sql) throws SQLException {
        var known = new HashSet<Integer>();
        return sql.all("SELECT grp, place, paused FROM fibry_places WHERE name = ?", rows -> {
            known.add(rows.getInt(1));
            return new Place(known, rows.getLong(2), rows.getInt(3) == 1);
        }, name).stream().findFirst();
    }

    /**
     * Begins with the first turn of each key, or the one that has erased it. Fails if a key has neither of them. A
     * compaction has ended, or begins when the place is there.
     */
    private Place begin(Sql sql, boolean isPaused) throws SQLException {
        var first = sql.first("SELECT s.grp, s.actor FROM fibry_snapshots s WHERE s.grp IN (" + numbers
                + ") AND length(s.state) > 0 AND NOT EXISTS(SELECT 1 FROM fibry_turns t"
                + " WHERE t.grp = s.grp AND t.actor = s.actor AND t.rev = 1 AND t.at >= 0) AND NOT EXISTS(SELECT 1 FROM fibry_turns t"
                + " WHERE t.grp = s.grp AND t.actor = s.actor AND t.rev <= s.rev AND t.at >= 0 AND t.events = ?) LIMIT 1",
                rows -> new Id(groups.getOrDefault(rows.getInt(1), "?"), rows.getString(2)), Frames.ERASED);
        if (first.isPresent()) {
            throw incomplete(name, first.get());
        }
        forget(sql);
        for (int group : groups.keySet()) {
            sql.add("INSERT INTO fibry_places(name, grp, place, paused) VALUES(?, ?, ?, ?)", name, group,
                    START, isPaused ? 1 : 0);
        }
        sql.runAll();
        return new Place(groups.keySet(), START, isPaused);
    }

    static IllegalStateException otherKinds(String name, Collection<String> kinds) {
        return new IllegalStateException("the projection " + name + " was made of other kinds than " + kinds
                + ": rebuild it, or give it another name");
    }

    static IllegalStateException incomplete(String name, Id id) {
        return new IllegalStateException("the projection " + name + " cannot begin: the first turns of "
                + id.group() + " "
                + id.key()
                + " are not in the store any more, since a snapshot covers them; set Durable.keepHistory before the first turn");
    }

    private Page page(Sql sql, int most) throws SQLException {
        var turns = new ArrayList<Numbered>();
        long end = seen;
        int count = 0;
        long bytes = 0;
        var query = sql.statement(read, seen, most);
        query.setFetchSize(ROWS_AT_ONCE);
        try (var rows = query.executeQuery()) {
            while (bytes < TurnSize.MOST_OF_TRANSACTION && rows.next()) {
                count++;
                end = rows.getLong(1);
                var group = groups.get(rows.getInt(2));
                // Of a turn that was erased, or whose outbox alone is kept, the events do not count.
                if (group != null && rows.getLong(5) >= 0) {
                    var turn = JournalRows.turn(new Id(group, rows.getString(3)), rows, 4);
                    bytes += turn.events().length;
                    turns.add(new Numbered(end, turn));
                }
            }
        }
        boolean isFull = count == most || bytes >= TurnSize.MOST_OF_TRANSACTION;
        return new Page(turns, end, isFull, isFull || database != Database.POSTGRES ? Optional.empty()
                : sql.first(heldUp, rows -> Instant.ofEpochMilli(rows.getLong(1))));
    }

    private boolean move(Sql sql, long from, long to) throws SQLException {
        return sql.update(
                "UPDATE fibry_places SET place = ? WHERE name = ? AND place = ? AND paused = 0", to,
                name, from) > 0;
    }

    @Override
    public void pause(boolean isPaused) throws SQLException {
        session.write(sql -> {
            findOrBegin(sql);
            return sql.update("UPDATE fibry_places SET paused = ? WHERE name = ?", isPaused ? 1 : 0, name);
        });
    }

    @Override
    public void rewind() throws SQLException {
        session.write(sql -> {
            hold(sql);
            return begin(sql, find(sql).map(Place::isPaused).orElse(false));
        });
    }

    @Override
    public void forget() throws SQLException {
        session.write(this::forget);
    }

    private int forget(Sql sql) throws SQLException {
        return sql.update("DELETE FROM fibry_places WHERE name = ?", name);
    }

    @Override
    public void close() throws IOException {
        try {
            session.close();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Where a projection is. */
    record Place(Set<Integer> groups, long number, boolean isPaused) {
    }

    /**
     * Turns that were read.
     *
     * @param end the number of the last row that was looked at
     * @param isFull whether there may be more
     * @param heldUp when the first turn was written that is not read yet, since a transaction that began before it has not ended
     */
    private record Page(List<Numbered> turns, long end, boolean isFull, Optional<Instant> heldUp) {
    }
}
