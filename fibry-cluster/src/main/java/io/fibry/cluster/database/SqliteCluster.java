package io.fibry.cluster.database;

import io.fibry.cluster.engine.ClusterEngine.Change;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A session in a file of SQLite, for the processes of one machine. Its lock is that of the file. If a process is
 * frozen in a transaction, all nodes stop serving after a lease, until it goes on or ends. So transactions are short.
 */
final class SqliteCluster extends ClusterSession {
    /** The code of SQLite for a file that is locked. The higher bytes of a code say more. */
    private static final int BUSY = 5;
    private static final int EXTENDED = 256;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    SqliteCluster(String cluster, Connection connection, Duration limit) throws SQLException {
        super(cluster, connection);
        execute("PRAGMA busy_timeout=" + limit.toMillis());
        inTime("PRAGMA journal_mode=WAL", limit);
        // All nodes of a machine that loses power end with it, so no node believes what the file has lost.
        execute("PRAGMA synchronous=NORMAL");
    }

    /**
     * Executes a statement for whose lock SQLite does not wait: several processes may open a new file at the same
     * time. An interrupt ends the wait, and is left to the caller.
     */
    private void inTime(String sql, Duration limit) throws SQLException {
        var end = System.nanoTime() + limit.toNanos();
        while (true) {
            try {
                execute(sql);
                return;
            } catch (SQLException failed) {
                if (failed.getErrorCode() % EXTENDED != BUSY || System.nanoTime() - end >= 0
                        || Thread.currentThread().isInterrupted()) {
                    throw failed;
                }
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
    }

    @Override
    String countOfSchemas() {
        return "SELECT count(*) FROM sqlite_master WHERE name = 'fibry_cluster_schema'";
    }

    @Override
    void makeMore() {
    }

    @Override
    @Nullable Object bound(@Nullable Object value) {
        return value instanceof UUID id ? id.toString() : value;
    }

    /** Takes the lock of the file before the work reads, since a transaction that reads first decides by what it has read. */
    @Override
    <T> T locked(Work<T> work) throws SQLException {
        execute("BEGIN IMMEDIATE");
        try {
            var result = work.run();
            execute("COMMIT");
            return result;
        } catch (Throwable failed) {
            try {
                execute("ROLLBACK");
            } catch (SQLException also) {
                failed.addSuppressed(also);
            }
            throw failed;
        }
    }

    private int update(String sql, @Nullable Object... values) throws SQLException {
        return prepare(sql, values).executeUpdate();
    }

    @Override
    Joined join(UUID node, long beat, String address, String machine, byte[] description, long lease)
            throws SQLException {
        return locked(() -> {
            update("INSERT OR IGNORE INTO fibry_cluster_states VALUES (?, 0, 0, '')", cluster);
            update("UPDATE fibry_cluster_states SET view = view + 1 WHERE cluster = ?", cluster);
            var view = number("SELECT view FROM fibry_cluster_states WHERE cluster = ?", cluster);
            update("""
                    DELETE FROM fibry_cluster_entries WHERE cluster = ?1 AND value IS NULL AND version <=
                        (SELECT coalesce(min(seen), 9223372036854775807) FROM fibry_cluster_nodes WHERE cluster = ?1 AND state <> 1)""",
                    cluster);
            update("DELETE FROM fibry_cluster_nodes WHERE cluster = ? AND state IN (1, 2) AND joined < ?",
                    cluster, view - 100);
            update(
                    """
                            INSERT INTO fibry_cluster_nodes VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6, ?7, '', ?8) ON CONFLICT (cluster, node)
                                DO UPDATE SET joined = ?3, beat = ?4, state = 0, seen = 0, accused = '' WHERE state <> 1""",
                    cluster, node, view, beat, address, machine,
                    description, lease);
            return new Joined("", false);
        });
    }

    @Override
    Beat beat(UUID node, long beat, long seen, Set<UUID> accused) throws SQLException {
        return locked(() -> {
            update("UPDATE fibry_cluster_nodes SET beat = max(beat, ?), seen = ?, accused = ? WHERE cluster = ? AND node = ? AND state = 0",
                    beat, seen, text(accused), cluster, node);
            try (var rows = prepare(
                    "SELECT t.view, t.version, t.timeline, m.node, m.beat, m.state, m.joined, m.accused, m.lease FROM fibry_cluster_states t"
                            + " JOIN fibry_cluster_nodes m ON m.cluster = t.cluster AND m.state IN (0, 3) WHERE t.cluster = ?",
                    cluster).executeQuery()) {
                return beat(rows);
            }
        });
    }

    @Override
    boolean remove(UUID node, long beat, State state) throws SQLException {
        return locked(() -> {
            var view = number("SELECT view + 1 FROM fibry_cluster_states WHERE cluster = ?", cluster);
            return update(
                    "UPDATE fibry_cluster_nodes SET state = ?, joined = ? WHERE cluster = ? AND node = ? AND state IN (0, 3)"
                            + " AND (? = 0 OR beat = ?)",
                    state.code, view, cluster, node, beat, beat) == 1
                    && update("UPDATE fibry_cluster_states SET view = view + 1 WHERE cluster = ?",
                            cluster) == 1;
        });
    }

    @Override
    Optional<List<Result>> change(UUID by, String server, List<Change> changes) throws SQLException {
        return locked(() -> {
            if (number(
                    "SELECT count(*) FROM fibry_cluster_nodes WHERE cluster = ? AND node = ? AND state = 0",
                    cluster, by) == 0) {
                return Optional.empty();
            }
            var version = number("SELECT version FROM fibry_cluster_states WHERE cluster = ?", cluster);
            var results = new ArrayList<Result>();
            for (var each : changes) {
                byte[] value = null;
                long at = 0;
                try (var rows = prepare(
                        "SELECT value, version FROM fibry_cluster_entries WHERE cluster = ? AND tab = ? AND key = ?",
                        cluster,
                        each.table(), each.key()).executeQuery()) {
                    if (rows.next()) {
                        value = rows.getBytes(1);
                        at = rows.getLong(2);
                    }
                }
                var isDone = Arrays.equals(value, each.expected());
                if (isDone) {
                    value = each.next();
                    at = ++version;
                    update("INSERT OR REPLACE INTO fibry_cluster_entries VALUES (?, ?, ?, ?, ?)", cluster,
                            each.table(), each.key(), value, at);
                }
                results.add(new Result(isDone, new Entry(each.table(), each.key(), value, at)));
            }
            update("UPDATE fibry_cluster_states SET version = ? WHERE cluster = ?", version, cluster);
            return Optional.of(results);
        });
    }

    /** Does nothing: what a session waits for is there soon. */
    @Override
    void abort() {
    }

    @Override
    void giveBack() {
    }
}
