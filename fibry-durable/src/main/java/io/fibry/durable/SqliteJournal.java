package io.fibry.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the logs in a file of SQLite. One connection writes and one reads; the write-ahead log lets them work side by side.
 * A commit is durable when it returns, since the log is flushed for each ({@code synchronous=FULL}). SQLite lets one
 * transaction write at a time.
 */
final class SqliteJournal extends SqlJournal {
    static final String STEP =
            step("INDEXED BY fibry_snapshots_new", "");
    /**
     * Begins each transaction of the writer, and changes nothing. If another connection, such as one of the program, wrote between
     * what a transaction reads and what it writes, SQLite would refuse to let it write.
     */
    private static final String BEGIN_TO_WRITE = "UPDATE fibry_groups SET name = name WHERE FALSE";

    /** Adds a turn that follows the newest revision of its key. */
    private static final String INSERT =
            """
                    INSERT INTO fibry_turns(grp, actor, rev, at, events, outbox, slot) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
                    WHERE ?3 = 1 + max(ifnull((SELECT max(rev) FROM fibry_turns WHERE grp = ?1 AND actor = ?2), 0),
                        ifnull((SELECT rev FROM fibry_snapshots WHERE grp = ?1 AND actor = ?2), 0))""";

    final Use use;

    private SqliteJournal(Use use) {
        super(session(use, BEGIN_TO_WRITE), session(use, ""),
                Dialect.ofOneWriter("INSERT OR IGNORE INTO fibry_groups(name) VALUES(?)", LOG_OF_KEY,
                        "outbox IS NOT NULL", STEP));
        this.use = use;
    }

    /**
     * How this process uses a file.
     *
     * @param isTemporary whether the file is in a folder of its own, which is deleted after the use
     * @param writeLock fair, while SQLite itself lets those that wait try again by chance
     * @param followed the projections that are at work
     * @param stores how many stores use it
     */
    record Use(StoreLock lock, Path file, Duration limit, boolean isTemporary,
            ReentrantLock writeLock, Set<String> followed, AtomicInteger stores) {
        /** Ends the use by a store. */
        void end() throws IOException {
            if (stores.decrementAndGet() > 0) {
                return;
            }
            lock.close();
            if (isTemporary) {
                try (var files = Files.list(file.getParent())) {
                    for (var each : files.toList()) {
                        Files.delete(each);
                    }
                }
                Files.delete(file.getParent());
            }
        }
    }

    private static SqlSession session(Use use, String first) {
        return new SqlSession(() -> connect(use),
                new SqlSession.Settings(use.limit, Connection.TRANSACTION_SERIALIZABLE, List.of(), List.of(),
                        first, use.writeLock));
    }

    private static Connection connect(Use use) throws SQLException {
        if (!use.lock.isHeld()) {
            throw new SQLException(
                    "the store " + use.file + " is closed, and another process may have the file");
        }
        var connection = DriverManager.getConnection("jdbc:sqlite:" + use.file);
        try {
            var sql = new Sql(connection);
            sql.execute(List.of("PRAGMA busy_timeout=" + use.limit.toMillis(), "PRAGMA journal_mode=WAL",
                    "PRAGMA synchronous=" + (use.isTemporary ? "OFF" : "FULL"),
                    "PRAGMA wal_autocheckpoint=8000", "PRAGMA cache_size=-65536"));
            require(use.file, sql, "PRAGMA journal_mode", "wal");
            require(use.file, sql, "PRAGMA synchronous", use.isTemporary ? "0" : "2");
            // mutant: file-is-not-flushed-at-a-commit
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static void require(Path file, Sql sql, String pragma, String value) throws SQLException {
        var found = sql.first(pragma, rows -> rows.getString(1)).orElse("");
        if (!value.equalsIgnoreCase(found)) {
            throw new SQLException("the store " + file + " would not be durable: " + pragma + " is " + found
                    + " and not " + value + "; is the file on a network drive?");
        }
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
        return open(SqliteFile.real(name), limit, false);
    }

    /** Opens a file that is deleted when the last one is closed of this journal and {@link #another}. Nothing is flushed. */
    static SqliteJournal temporary(Duration limit) throws SQLException, IOException {
        return open(Files.createTempDirectory("fibry").toRealPath().resolve("store.db"), limit, true);
    }

    /** Returns a journal with the same file, as if it were that of another process. */
    SqliteJournal another() {
        use.stores.incrementAndGet();
        return new SqliteJournal(use);
    }

    private static SqliteJournal open(Path file, Duration limit, boolean isTemporary)
            throws SQLException, IOException {
        var journal = new SqliteJournal(new Use(StoreLock.of(file), file, limit, isTemporary,
                new ReentrantLock(true), ConcurrentHashMap.newKeySet(), new AtomicInteger(1)));
        try {
            SqliteFile.requireOneName(file);
            boolean suspect = SqliteFile.mayHaveLostItsEnd(file);
            return journal.reader.run(sql -> {
                // mutant: end-of-a-file-is-not-looked-at
                if (suspect) {
                    SqliteFile.check(sql, file);
                }
                SqliteTables.make(sql, file);
                return journal;
            });
        } catch (Throwable e) { // also an error of the driver, which may have no native code for this system
            journal.use.end();
            throw e;
        }
    }

    @Override
    boolean isOneStatement(List<Turn> turns) {
        return turns.size() == 1;
    }

    @Override
    BitSet insert(Sql sql, List<Turn> turns, Map<String, Integer> numbers) throws SQLException {
        var written = new BitSet(turns.size());
        var fenced = new HashSet<Id>();
        for (int i = 0; i < turns.size(); i++) {
            var turn = turns.get(i);
            var values = values(numbers.getOrDefault(turn.id().group(), 0), turn);
            // mutant: turn-of-another-writer-is-believed-written, stale-writer-gets-in-below-a-snapshot, turn-is-written-behind-a-gap
            if (!fenced.contains(turn.id()) && sql.update(INSERT, values) == 1) {
                written.set(i);
            } else {
                fenced.add(turn.id());
            }
        }
        return written;
    }

    @Override
    void each(Sql sql, List<Id> ids, String query, OfKey row) throws SQLException {
        var ofKey = query.formatted("?1", "?2", "0");
        for (var id : ids) {
            var group = group(sql, id.group());
            if (group.isPresent()) {
                try (var rows = sql.statement(ofKey, group.get(), id.key()).executeQuery()) {
                    while (rows.next()) {
                        row.take(id, rows);
                    }
                }
            }
        }
    }

    @Override
    SqlFollower follow(String name, Map<Integer, String> names) {
        return new SqlFollower(SqlFollower.Database.SQLITE, name, names, 0,
                session(use, ""), use.followed);
    }

    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            use.end();
        }
    }

    @Override
    public boolean isForManyProcesses() {
        return use.isTemporary;
    }
}
