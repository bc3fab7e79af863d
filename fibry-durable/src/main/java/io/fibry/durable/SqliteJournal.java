package io.fibry.durable;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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
     * Begins each transaction of the writer, and changes nothing. If another connection, such as one of the program,
     * wrote between what a transaction reads and what it writes, SQLite would refuse to let it write.
     */
    private static final String BEGIN_TO_WRITE = "UPDATE fibry_groups SET name = name WHERE FALSE";

    /** Adds a turn that follows the newest revision of its key. */
    private static final String INSERT =
            """
                    INSERT INTO fibry_turns(grp, actor, rev, at, events, outbox, slot) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
                    WHERE ?3 = 1 + max(ifnull((SELECT max(rev) FROM fibry_turns WHERE grp = ?1 AND actor = ?2), 0),
                        ifnull((SELECT rev FROM fibry_snapshots WHERE grp = ?1 AND actor = ?2), 0))""";

    private static final Duration WAIT_FOR_READERS = Duration.ofMillis(100);

    private final StoreLock lock;
    private final Path file;
    private final Duration limit;
    /** Fair; SQLite's own lock is not: those that wait for it try again at random times. */
    final ReentrantLock writeLock;
    /** Whether {@link #emptyLog} has work; at first it may, as the last process may have been killed. Written by the writer. */
    private boolean logHasErased = true;

    private SqliteJournal(StoreLock lock, Path file, Duration limit, ReentrantLock writeLock) {
        super(session(lock, file, limit, BEGIN_TO_WRITE, writeLock),
                session(lock, file, limit, "", writeLock),
                Dialect.ofOneWriter("INSERT OR IGNORE INTO fibry_groups(name) VALUES(?)", LOG_OF_KEY,
                        "outbox IS NOT NULL", STEP, NAMES));
        this.lock = lock;
        this.file = file;
        this.limit = limit;
        this.writeLock = writeLock;
    }

    private static SqlSession session(StoreLock lock, Path file, Duration limit, String first,
            ReentrantLock writeLock) {
        return new SqlSession(() -> connect(lock, file, limit),
                new SqlSession.Settings(limit, Connection.TRANSACTION_SERIALIZABLE, List.of(), List.of(),
                        first, writeLock));
    }

    private static Connection connect(StoreLock lock, Path file, Duration limit) throws SQLException {
        if (!lock.isHeld()) {
            throw new SQLException("the store " + file + " is closed, and another process may have the file");
        }
        var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try {
            var sql = new Sql(connection);
            sql.execute(List.of("PRAGMA busy_timeout=" + limit.toMillis(), "PRAGMA journal_mode=WAL",
                    // On macOS a flush without it leaves what is written in the cache of the disk.
                    "PRAGMA synchronous=FULL", "PRAGMA fullfsync=ON", "PRAGMA wal_autocheckpoint=8000",
                    "PRAGMA cache_size=-65536",
                    // What is deleted is overwritten, also before its key is erased.
                    "PRAGMA secure_delete=ON"));
            require(file, sql, "PRAGMA journal_mode", "wal");
            require(file, sql, "PRAGMA synchronous", "2");
            require(file, sql, "PRAGMA secure_delete", "1");
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
        var file = SqliteFile.real(name);
        var journal = new SqliteJournal(StoreLock.of(file), file, limit, new ReentrantLock(true));
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
            journal.lock.close();
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

    /** After the last step nothing of the key is in the write-ahead log either, unless another connection reads the file. */
    @Override
    public OptionalLong eraseBelow(Id id, long below, int most) throws SQLException {
        logHasErased = true;
        var next = super.eraseBelow(id, below, most);
        if (next.isEmpty()) {
            emptyLog();
        }
        return next;
    }

    @Override
    public Step compact(String group, Instant before, Position from, int most) throws SQLException {
        var step = super.compact(group, before, from, most);
        if (step.next().isEmpty()) {
            emptyLog();
        }
        return step;
    }

    /** Empties the write-ahead log if it may have what was erased; if a connection reads, it is left for later. */
    private void emptyLog() throws SQLException {
        if (logHasErased) {
            logHasErased = writer.write(sql -> {
                sql.execute(List.of("PRAGMA busy_timeout=" + WAIT_FOR_READERS.toMillis()));
                boolean isRead = sql.first("PRAGMA wal_checkpoint(TRUNCATE)", rows -> rows.getBoolean(1))
                        .orElse(false);
                sql.execute(List.of("PRAGMA busy_timeout=" + limit.toMillis()));
                return isRead;
            }, true);
        }
    }

    @Override
    SqlFollower follow(String name, Map<Integer, String> names) {
        return new SqlFollower(SqlFollower.Database.SQLITE, name, names, 0,
                session(lock, file, limit, "", writeLock));
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
}
