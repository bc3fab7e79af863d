package io.fibry.cluster.database;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session in a file of SQLite, for the processes of one machine. Its lock is that of the file. A process that is frozen within a transaction keeps it, and
 * then no node serves for longer than a lease until the process goes on or ends: so transactions are short, and nothing else can be done about it here.
 */
final class SqliteCluster implements ClusterSession {
    private static final Logger LOGGER = LoggerFactory.getLogger(SqliteCluster.class);
    private static final String[] TABLES = {
        "CREATE TABLE IF NOT EXISTS fibry_cluster_schema(version int NOT NULL, oldest int NOT NULL)",
        "CREATE TABLE IF NOT EXISTS fibry_cluster_states(cluster text PRIMARY KEY, view bigint NOT NULL, version bigint NOT NULL)",
        """
                CREATE TABLE IF NOT EXISTS fibry_cluster_nodes(cluster text, node text, joined bigint NOT NULL, beat bigint NOT NULL,
                    state int NOT NULL, seen bigint NOT NULL, address text NOT NULL, machine text NOT NULL, description blob NOT NULL,
                    accused blob NOT NULL, PRIMARY KEY(cluster, node))""",
        """
                CREATE TABLE IF NOT EXISTS fibry_cluster_entries(cluster text, tab text, key text, value blob, version bigint NOT NULL,
                    PRIMARY KEY(cluster, tab, key))""",
        "CREATE INDEX IF NOT EXISTS fibry_cluster_entries_version ON fibry_cluster_entries(cluster, version)"};

    /** The code of SQLite for a file that is locked. The higher bytes of a code say more. */
    private static final int BUSY = 5;
    private static final int EXTENDED = 256;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final String cluster;
    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /** What is done under the lock of the file. */
    @FunctionalInterface
    private interface Work<T> {
        T run() throws SQLException;
    }

    SqliteCluster(String cluster, Connection connection, Duration limit) throws SQLException {
        this.cluster = cluster;
        this.connection = connection;
        execute("PRAGMA busy_timeout=" + limit.toMillis());
        inTime("PRAGMA journal_mode=WAL", limit);
        // All nodes of a machine that loses power end with it, so no node believes what the file has lost.
        execute("PRAGMA synchronous=NORMAL");
    }

    /**
     * Executes a statement for whose lock SQLite does not wait: several processes may open a new file at the same time. An interrupt ends
     * the wait, and is left to the caller.
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

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Takes the lock of the file before the work reads, since a transaction that reads first decides by what it has read. */
    private <T> T locked(Work<T> work) throws SQLException {
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

    private PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i] instanceof UUID id ? id.toString() : values[i]);
        }
        return statement;
    }

    private int update(String sql, @Nullable Object... values) throws SQLException {
        return prepare(sql, values).executeUpdate();
    }

    private long number(String sql, Object... values) throws SQLException {
        try (var rows = prepare(sql, values).executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    @Override
    public void makeTables() throws SQLException {
        var unused = locked(() -> {
            for (var each : TABLES) {
                execute(each);
            }
            if (number("SELECT count(*) FROM fibry_cluster_schema") == 0) {
                update("INSERT INTO fibry_cluster_schema VALUES(?, ?)", VERSION, VERSION);
            }
            try (var rows = prepare("SELECT version, oldest FROM fibry_cluster_schema").executeQuery()) {
                ClusterSession.requireVersion(rows);
            }
            return VERSION;
        });
    }

    @Override
    public boolean join(UUID node, long beat, String address, String machine, byte[] description)
            throws SQLException {
        return locked(() -> {
            update("INSERT OR IGNORE INTO fibry_cluster_states VALUES (?, 0, 0)", cluster);
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
                            INSERT INTO fibry_cluster_nodes VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6, ?7, x'') ON CONFLICT (cluster, node)
                                DO UPDATE SET joined = ?3, beat = ?4, state = 0, seen = 0, accused = x'' WHERE state <> 1""",
                    cluster, node, view, beat, address, machine,
                    description);
            return false;
        });
    }

    @Override
    public Beat beat(UUID node, long beat, long seen, Set<UUID> accused) throws SQLException {
        return locked(() -> {
            update("UPDATE fibry_cluster_nodes SET beat = max(beat, ?), seen = ?, accused = ? WHERE cluster = ? AND node = ? AND state = 0",
                    beat,
                    seen, bytes(accused), cluster, node);
            var members = new HashMap<UUID, Pulse>();
            try (var rows = prepare(
                    "SELECT node, beat, state, joined, accused FROM fibry_cluster_nodes WHERE cluster = ? AND state IN (0, 3)",
                    cluster).executeQuery()) {
                while (rows.next()) {
                    members.put(UUID.fromString(rows.getString(1)),
                            new Pulse(rows.getLong(2), State.of(rows.getInt(3)), rows.getLong(4),
                                    nodes(rows.getBytes(5))));
                }
            }
            return new Beat(number("SELECT view FROM fibry_cluster_states WHERE cluster = ?", cluster),
                    number("SELECT version FROM fibry_cluster_states WHERE cluster = ?", cluster), "",
                    members);
        });
    }

    private static byte[] bytes(Set<UUID> nodes) {
        var bytes = ByteBuffer.allocate(2 * Long.BYTES * nodes.size());
        nodes.forEach(
                node -> bytes.putLong(node.getMostSignificantBits()).putLong(node.getLeastSignificantBits()));
        return bytes.array();
    }

    private static Set<UUID> nodes(byte[] bytes) {
        var nodes = new HashSet<UUID>();
        for (var rest = ByteBuffer.wrap(bytes); rest.hasRemaining();) {
            nodes.add(new UUID(rest.getLong(), rest.getLong()));
        }
        return nodes;
    }

    @Override
    public Nodes nodes() throws SQLException {
        try (var rows = prepare(
                "SELECT t.view, m.node, m.joined, m.state, m.address, m.machine, m.description FROM fibry_cluster_states t"
                        + " JOIN fibry_cluster_nodes m ON m.cluster = t.cluster WHERE t.cluster = ? ORDER BY m.joined",
                cluster).executeQuery()) {
            return PostgresCluster.nodes(rows);
        }
    }

    @Override
    public boolean remove(UUID node, long beat, State state) throws SQLException {
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
    public void accuse(UUID node) throws SQLException {
        update("UPDATE fibry_cluster_nodes SET state = 3 WHERE cluster = ? AND node = ? AND state = 0",
                cluster, node);
    }

    @Override
    public List<Entry> entriesAfter(long version) throws SQLException {
        try (var rows = prepare(
                "SELECT tab, key, value, version FROM fibry_cluster_entries WHERE cluster = ? AND version > ? ORDER BY version",
                cluster, version).executeQuery()) {
            return PostgresCluster.entries(rows);
        }
    }

    @Override
    public Optional<List<Result>> change(UUID by, List<Change> changes) throws SQLException {
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
    public void abort() {
    }

    @Override
    public void close() {
        try (connection) {
            for (var each : prepared.values()) {
                each.close();
            }
        } catch (SQLException broken) {
            LOGGER.debug("A file could not be closed", broken);
        }
    }
}
