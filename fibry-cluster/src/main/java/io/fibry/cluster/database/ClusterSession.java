package io.fibry.cluster.database;

import io.fibry.cluster.engine.ClusterEngine.Change;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to the database of a cluster. Each method is one transaction. Not thread-safe, but for {@link #abort}.
 * A session whose method has failed is closed, and replaced.
 */
abstract class ClusterSession implements AutoCloseable {
    /**
     * Version of the tables that this release makes and knows. The tables name it, and the oldest version whose releases can use them: a
     * later release may add columns and functions, and leaves those of the version before, so that nodes can be replaced one by one.
     */
    static final int VERSION = 1;
    /** Stands for whatever beat a node has; its beats begin with 1. */
    static final long ANY_BEAT = 0;

    private static final Logger LOGGER = LoggerFactory.getLogger(ClusterSession.class);
    /** What both databases understand. SQLite keeps what it is given, whatever the type of a column: a node is a text there. */
    private static final String[] TABLES = {
        "CREATE TABLE fibry_cluster_schema(version int NOT NULL, oldest int NOT NULL, id text NOT NULL)",
        "CREATE TABLE fibry_cluster_states(cluster text PRIMARY KEY, view bigint NOT NULL, version bigint NOT NULL, timeline text NOT NULL)",
        """
                CREATE TABLE fibry_cluster_nodes(cluster text, node uuid, joined bigint NOT NULL, beat bigint NOT NULL, state int NOT NULL,
                    seen bigint NOT NULL, address text NOT NULL, machine text NOT NULL, description bytea NOT NULL, accused text NOT NULL,
                    lease bigint NOT NULL, PRIMARY KEY(cluster, node))""",
        """
                CREATE TABLE fibry_cluster_entries(cluster text, tab text, key text, value bytea, version bigint NOT NULL,
                    PRIMARY KEY(cluster, tab, key))""",
        "CREATE INDEX fibry_cluster_entries_version ON fibry_cluster_entries(cluster, version)"};

    /** The place of a node in the sequence of views. */
    enum State {
        /** It is a member, and its beats are taken. */
        MEMBER(0),
        /** It has said goodbye, which is final. */
        LEFT(1),
        /** Others have found it lost. */
        LOST(2),
        /** It is a member until it has ended its actors, or until its lease is over. Its beats are not taken. */
        ENDING(3);

        final int code;

        State(int code) {
            this.code = code;
        }

        static State of(int code) {
            return switch (code) {
                case 0 -> MEMBER;
                case 1 -> LEFT;
                case 2 -> LOST;
                case 3 -> ENDING;
                default -> throw new IllegalStateException(
                        "a row of the table fibry_cluster_nodes has the state " + code
                                + ", which this version of Fibry does not know: update it");
            };
        }

        boolean isInView() {
            return this == MEMBER || this == ENDING;
        }
    }

    /**
     * The row of a node.
     *
     * @param joined number of the view with which it has joined, or from which on it is missing
     * @param machine the {@linkplain MachineId place} where a closed port proves that the process has ended
     * @param lease its lease in nanoseconds
     */
    record NodeRow(UUID node, long joined, State state, String address, String machine, byte[] description,
            long lease) {
    }

    /** What a view is made of. */
    record Nodes(long view, List<NodeRow> rows) {
    }

    /** What a beat shows of a member; its lease is in nanoseconds. */
    record Pulse(long beat, State state, long joined, Set<UUID> accused, long lease) {
    }

    /**
     * What is there at a beat, with this beat.
     *
     * @param version of the newest entry
     * @param server tells one start and timeline of the server from another one, which may have lost the last changes
     */
    record Beat(long view, long version, String server, Map<UUID, Pulse> members) {
    }

    /** An entry; without a value it was removed. */
    record Entry(String table, String key, byte @Nullable [] value, long version) {
    }

    /** Whether a change was made, and the entry as it is now. */
    record Result(boolean isDone, Entry now) {
    }

    final String cluster;
    final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /** What is done in one transaction. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws SQLException;
    }

    ClusterSession(String cluster, Connection connection) {
        this.cluster = cluster;
        this.connection = connection;
    }

    /** Does something in a transaction, and lets no other process do such a thing meanwhile. */
    abstract <T> T locked(Work<T> work) throws SQLException;

    /** Returns a query for the number of tables that have the version. */
    abstract String countOfSchemas();

    /** Makes what else is needed beside new tables. */
    abstract void makeMore() throws SQLException;

    /** Returns what a driver takes for a value. */
    abstract @Nullable Object bound(@Nullable Object value);

    final void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    final PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, bound(values[i]));
        }
        return statement;
    }

    final long number(String sql, Object... values) throws SQLException {
        try (var rows = prepare(sql, values).executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    /** Makes missing tables; fails if this release cannot use those that are there. Returns the id of the database. */
    final String makeTables() throws SQLException {
        return locked(() -> {
            if (number(countOfSchemas()) == 0) {
                for (var each : TABLES) {
                    execute(each);
                }
                prepare("INSERT INTO fibry_cluster_schema VALUES (?, ?, ?)", VERSION, VERSION,
                        UUID.randomUUID().toString()).executeUpdate();
                makeMore();
            }
            try (var rows = prepare("SELECT version, oldest, id FROM fibry_cluster_schema").executeQuery()) {
                requireVersion(rows);
                return rows.getString(3);
            }
        });
    }

    private static void requireVersion(ResultSet row) throws SQLException {
        var isThere = row.next();
        var version = isThere ? row.getInt(1) : 0;
        var oldest = isThere ? row.getInt(2) : 0;
        if (version < VERSION || oldest > VERSION) {
            throw new SQLException("the tables fibry_cluster_* of this database have version " + version
                    + ", for releases of Fibry that know version " + oldest
                    + " or a later one, and this release knows version " + VERSION
                    + "; use one that knows them");
        }
    }

    /**
     * What a node finds when it joins.
     *
     * @param server as of a {@link Beat}
     * @param isOtherTimeline whether a copy was promoted since the last change, and may have lost the last changes
     */
    record Joined(String server, boolean isOtherTimeline) {
    }

    /**
     * Makes a node a member of a new view, also if it was lost before; one that has said goodbye stays out.
     *
     * @param lease its lease in nanoseconds
     */
    abstract Joined join(UUID node, long beat, String address, String machine, byte[] description, long lease)
            throws SQLException;

    /**
     * Renews the lease of a node, if it is a member, and reads the members.
     *
     * @param beat higher than all beats of this incarnation before, or {@link #ANY_BEAT} to leave the last one there
     * @param seen the version up to which the node has all entries
     */
    abstract Beat beat(UUID node, long beat, long seen, Set<UUID> accused) throws SQLException;

    /** Reads view, version, server, and of each member: node, beat, state, the view of its join, whom it accuses, and lease. */
    static Beat beat(ResultSet rows) throws SQLException {
        var members = new HashMap<UUID, Pulse>();
        long view = 0;
        long version = 0;
        var server = "";
        while (rows.next()) {
            view = rows.getLong(1);
            version = rows.getLong(2);
            server = rows.getString(3);
            members.put(UUID.fromString(rows.getString(4)),
                    new Pulse(rows.getLong(5), State.of(rows.getInt(6)), rows.getLong(7),
                            nodes(rows.getString(8)), rows.getLong(9)));
        }
        return new Beat(view, version, server, members);
    }

    private static Set<UUID> nodes(String text) {
        return text.isEmpty() ? Set.of()
                : Stream.of(text.split(" ", -1)).map(UUID::fromString).collect(Collectors.toSet());
    }

    static String text(Set<UUID> nodes) {
        return nodes.stream().map(UUID::toString).collect(Collectors.joining(" "));
    }

    /** Reads the view. */
    final Nodes nodes() throws SQLException {
        var nodes = new ArrayList<NodeRow>();
        long view = 0;
        try (var rows = prepare(
                "SELECT t.view, m.node, m.joined, m.state, m.address, m.machine, m.description, m.lease FROM fibry_cluster_states t"
                        + " JOIN fibry_cluster_nodes m ON m.cluster = t.cluster WHERE t.cluster = ? ORDER BY m.joined",
                cluster).executeQuery()) {
            while (rows.next()) {
                view = rows.getLong(1);
                nodes.add(new NodeRow(UUID.fromString(rows.getString(2)), rows.getLong(3),
                        State.of(rows.getInt(4)), rows.getString(5), rows.getString(6), rows.getBytes(7),
                        rows.getLong(8)));
            }
        }
        return new Nodes(view, nodes);
    }

    /**
     * Ends a membership and makes a new view, if the node is in the view and its beat is this one.
     *
     * @param beat the beat, or {@link #ANY_BEAT}
     */
    abstract boolean remove(UUID node, long beat, State state) throws SQLException;

    /** Takes no more beats of a member. */
    final void accuse(UUID node) throws SQLException {
        prepare("UPDATE fibry_cluster_nodes SET state = 3 WHERE cluster = ? AND node = ? AND state = 0",
                cluster, node).executeUpdate();
    }

    /** Reads the entries that are newer than a version, the oldest first. */
    final List<Entry> entriesAfter(long version) throws SQLException {
        var entries = new ArrayList<Entry>();
        try (var rows = prepare(
                "SELECT tab, key, value, version FROM fibry_cluster_entries WHERE cluster = ? AND version > ? ORDER BY version",
                cluster, version).executeQuery()) {
            while (rows.next()) {
                entries.add(
                        new Entry(rows.getString(1), rows.getString(2), rows.getBytes(3), rows.getLong(4)));
            }
        }
        return entries;
    }

    /**
     * Makes changes, one after the other; empty if the node that asks for them is no member, so none was made. Fails if the
     * server is not the one that the node has compared its copies with: what is there may be older than what the node knows.
     */
    abstract Optional<List<Result>> change(UUID by, String server, List<Change> changes) throws SQLException;

    /** Ends what another thread waits for. */
    abstract void abort();

    /** Undoes what a pool would not expect of a connection. */
    abstract void giveBack() throws SQLException;

    @Override
    public void close() {
        try (connection) {
            for (var each : prepared.values()) {
                each.close();
            }
            giveBack();
        } catch (SQLException broken) {
            LOGGER.debug("A connection could not be given back", broken);
        }
    }
}
