package io.fibry.cluster.trial;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterException;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.database.DatabaseSettings;
import io.fibry.function.ContextReplyHandler;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A node in a process of its own whose actors write to the database of the cluster what they have computed in memory. Nothing but the row
 * of their home fences them: the table takes everything. Its arguments are its name, the URL of its database, its log, and whether there is
 * a fence.
 */
public final class EffectNode {
    static final int KEYS = 8;
    static final Duration LEASE = Duration.ofMillis(Long.getLong("trial.lease", 2_000));
    static final Duration LIMIT = Duration.ofSeconds(4);
    /** How many nanoseconds a turn takes, so that some are underway whenever a process is frozen. */
    private static final long COMPUTES = 5_000_000;
    /** Takes two effects of one revision, and one effect twice: a key of the table would fence as well. */
    static final String TABLE =
            "CREATE TABLE effects(key int NOT NULL, revision bigint NOT NULL, id text NOT NULL, actor text NOT NULL)";

    /** Raises the number of a key, once for each id. */
    record Raise(int key, String id) {
    }

    private final String name;
    private final String url;
    private final String fence;
    private final FileOutputStream log;
    private final AtomicLong actors = new AtomicLong();
    private final Cluster cluster;

    private EffectNode(ActorScope scope, String name, String url, String log, boolean isFenced)
            throws IOException {
        this.name = name;
        this.url = url;
        this.log = new FileOutputStream(log, true);
        fence = isFenced ? " AND value = ?" + (url.startsWith("file:") ? "" : " FOR SHARE") : "";
        cluster = Cluster.open(scope, options(url, name));
        for (int key = 0; key < KEYS; key++) {
            var unused = cluster.share(group(key), scope.named("actor of " + key).keyed(group(key).keyOf())
                    .newActorsWithReturnFrom(made -> new Sum(made)));
        }
    }

    /** Each key is a group of its own with one slice, so that the row of its home is known. */
    static ClusterGroup<Integer, Raise, Long> group(int key) {
        return ClusterGroup.of("e" + key, Integer.class, Raise.class, Long.class, Raise::key);
    }

    static ClusterOptions options(String url, String name) {
        return ClusterOptions.on(DatabaseSettings.of(url).lease(LEASE)).name(name).slices(1).askLimit(LIMIT);
    }

    static Connection connect(String url) throws SQLException {
        if (!url.startsWith("file:")) {
            return DriverManager.getConnection(url + "&connectTimeout=2&socketTimeout=5");
        }
        var connection = DriverManager.getConnection("jdbc:sqlite:" + url.substring("file:".length()));
        try (var statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout=3000");
            statement.execute("PRAGMA synchronous=NORMAL"); // so that a write has the lock of the file for a moment alone
        }
        return connection;
    }

    /** The actor of a key. It knows the number when it has read it once, and who it is. */
    private final class Sum implements ContextReplyHandler<Raise, Long> {
        private final int key;
        private final String actor = name + "#" + actors.incrementAndGet();
        private Connection connection;
        private byte[] home;
        private long revision;

        Sum(int key) {
            this.key = key;
        }

        @Override
        public Long handle(ActorContext<Raise, Long> self, Raise raise) {
            var line = key + " " + actor + " " + System.nanoTime() + "\n";
            try {
                log.write(line.getBytes(StandardCharsets.US_ASCII));
                return raise(raise.id());
            } catch (SQLException failed) {
                forget();
                throw new IllegalStateException(failed);
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
        }

        /** What is in memory may be old when a write has failed. */
        private void forget() {
            home = null;
            var open = connection;
            connection = null;
            try (open) {
                // It is closed, if there is one.
            } catch (SQLException broken) {
                System.err.println("a connection could not be closed: " + broken);
            }
        }

        private PreparedStatement prepare(String sql, Object... values) throws SQLException {
            var statement = connection.prepareStatement(sql);
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement;
        }

        private long raise(String id) throws SQLException {
            if (connection == null) {
                connection = connect(url);
            }
            if (home == null) {
                read();
            }
            try (var statement = prepare("SELECT revision FROM effects WHERE id = ?", id);
                    var rows = statement.executeQuery()) {
                if (rows.next()) {
                    return rows.getLong(1);
                }
            }
            LockSupport.parkNanos(COMPUTES);
            var insert =
                    "INSERT INTO effects SELECT ?, ?, ?, ? FROM fibry_cluster_entries WHERE tab = 'homes' AND key = ?"
                            + fence;
            try (var statement = fence.isEmpty() ? prepare(insert, key, revision + 1, id, actor, rowKey())
                    : prepare(insert, key, revision + 1, id, actor, rowKey(), home)) {
                if (statement.executeUpdate() == 0) {
                    throw new SQLException("fenced");
                }
            }
            return ++revision;
        }

        private String rowKey() {
            return "e" + key + "/0";
        }

        /** Reads the row of the home first, so that what other homes have written is read after it. */
        private void read() throws SQLException {
            byte[] row = null;
            try (var statement = prepare(
                    "SELECT value FROM fibry_cluster_entries WHERE tab = 'homes' AND key = ?", rowKey());
                    ResultSet rows = statement.executeQuery()) {
                row = rows.next() ? rows.getBytes(1) : null;
            }
            if (row == null || !isHere(row)) {
                throw new SQLException("fenced: this node is not the home");
            }
            try (var statement =
                    prepare("SELECT coalesce(max(revision), 0) FROM effects WHERE key = ?", key);
                    ResultSet rows = statement.executeQuery()) {
                rows.next();
                revision = rows.getLong(1);
            }
            home = row;
        }

        private boolean isHere(byte[] row) {
            var bytes = ByteBuffer.wrap(row, 2, 2 * Long.BYTES);
            return new UUID(bytes.getLong(), bytes.getLong()).equals(cluster.self().incarnation());
        }
    }

    public static void main(String[] args) throws Exception {
        try (var scope = ActorSystem.open("effects")) {
            EffectNode node = null;
            while (node == null) { // the database may be away just now
                try {
                    node = new EffectNode(scope, args[0], args[1], args[2], Boolean.parseBoolean(args[3]));
                } catch (ClusterException failed) {
                    System.err.println(failed);
                }
            }
            System.out.println("READY");
            while (System.in.read() >= 0) {
                // Until the parent has ended.
            }
            node.cluster.close();
        }
    }
}
