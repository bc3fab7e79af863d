package io.fibry.cluster.database;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session in PostgreSQL. Each operation is one call of a function, without a transaction around it: so no lock is held while an answer is on its way
 * to a client that does not run. The names of the functions have the version of the tables, so two releases work side by side.
 */
final class PostgresCluster implements ClusterSession {
    private static final Logger LOGGER = LoggerFactory.getLogger(PostgresCluster.class);
    /** One process at a time makes the tables. */
    private static final long SCHEMA_LOCK = 0x66696272790C1L;
    private static final String[] TABLES = {
        "CREATE TABLE fibry_cluster_schema(version int NOT NULL, oldest int NOT NULL)",
        "CREATE TABLE fibry_cluster_states(cluster text PRIMARY KEY, view bigint NOT NULL, version bigint NOT NULL, timeline text NOT NULL)",
        """
                CREATE TABLE fibry_cluster_nodes(cluster text, node uuid, joined bigint NOT NULL, beat bigint NOT NULL, state int NOT NULL,
                    seen bigint NOT NULL, address text NOT NULL, machine text NOT NULL, description bytea NOT NULL, accused uuid[] NOT NULL,
                    PRIMARY KEY(cluster, node)) WITH (fillfactor = 50)""",
        """
                CREATE TABLE fibry_cluster_entries(cluster text, tab text, key text, value bytea, version bigint NOT NULL,
                    PRIMARY KEY(cluster, tab, key))""",
        "CREATE INDEX fibry_cluster_entries_version ON fibry_cluster_entries(cluster, version)",
        "CREATE FUNCTION fibry_cluster_timeline_1() RETURNS text LANGUAGE sql AS 'SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)'",
        """
                CREATE FUNCTION fibry_cluster_join_1(c text, n uuid, b bigint, a text, m text, d bytea) RETURNS boolean LANGUAGE plpgsql AS $$
                DECLARE v bigint; other boolean;
                BEGIN
                    INSERT INTO fibry_cluster_states VALUES (c, 0, 0, fibry_cluster_timeline_1()) ON CONFLICT DO NOTHING;
                    SELECT view + 1, timeline <> fibry_cluster_timeline_1() INTO v, other FROM fibry_cluster_states WHERE cluster = c FOR UPDATE;
                    UPDATE fibry_cluster_states SET view = v WHERE cluster = c;
                    DELETE FROM fibry_cluster_entries WHERE cluster = c AND value IS NULL AND version <=
                        (SELECT coalesce(min(seen), 9223372036854775807) FROM fibry_cluster_nodes WHERE cluster = c AND state <> 1);
                    DELETE FROM fibry_cluster_nodes WHERE cluster = c AND state IN (1, 2) AND joined < v - 100;
                    INSERT INTO fibry_cluster_nodes VALUES (c, n, v, b, 0, 0, a, m, d, '{}') ON CONFLICT (cluster, node)
                        DO UPDATE SET joined = v, beat = b, state = 0, seen = 0, accused = '{}' WHERE fibry_cluster_nodes.state <> 1;
                    RETURN other;
                END $$""",
        """
                CREATE FUNCTION fibry_cluster_beat_1(c text, n uuid, b bigint, s bigint, a uuid[]) RETURNS TABLE(view bigint, version bigint,
                    server text, node uuid, beat bigint, state int, joined bigint, accused uuid[]) LANGUAGE plpgsql AS $$
                BEGIN
                    UPDATE fibry_cluster_nodes m SET beat = greatest(m.beat, b), seen = s, accused = a
                        WHERE m.cluster = c AND m.node = n AND m.state = 0;
                    RETURN QUERY SELECT t.view, t.version, fibry_cluster_timeline_1() || ' ' || pg_postmaster_start_time(),
                        m.node, m.beat, m.state, m.joined, m.accused FROM fibry_cluster_states t
                        JOIN fibry_cluster_nodes m ON m.cluster = t.cluster AND m.state IN (0, 3) WHERE t.cluster = c;
                END $$""",
        """
                CREATE FUNCTION fibry_cluster_remove_1(c text, n uuid, b bigint, s int) RETURNS boolean LANGUAGE plpgsql AS $$
                DECLARE v bigint;
                BEGIN
                    SELECT view + 1 INTO v FROM fibry_cluster_states WHERE cluster = c FOR UPDATE;
                    UPDATE fibry_cluster_nodes SET state = s, joined = v
                        WHERE cluster = c AND node = n AND state IN (0, 3) AND (b = 0 OR beat = b);
                    IF NOT FOUND THEN RETURN false; END IF;
                    UPDATE fibry_cluster_states SET view = v WHERE cluster = c;
                    RETURN true;
                END $$""",
        """
                CREATE FUNCTION fibry_cluster_change_1(c text, n uuid, ts text[], ks text[], es bytea[], ns bytea[])
                    RETURNS TABLE(done boolean, value bytea, version bigint) LANGUAGE plpgsql AS $$
                DECLARE newest bigint; there bytea; at bigint;
                BEGIN
                    SELECT t.version INTO newest FROM fibry_cluster_states t WHERE t.cluster = c FOR UPDATE;
                    PERFORM 1 FROM fibry_cluster_nodes m WHERE m.cluster = c AND m.node = n AND m.state = 0;
                    IF NOT FOUND THEN RETURN; END IF;
                    FOR i IN 1 .. array_length(ks, 1) LOOP
                        SELECT e.value, e.version INTO there, at FROM fibry_cluster_entries e WHERE e.cluster = c AND e.tab = ts[i] AND e.key = ks[i];
                        IF NOT FOUND THEN there := NULL; at := 0; END IF;
                        done := there IS NOT DISTINCT FROM es[i];
                        IF done AND at > 0 THEN
                            -- A store that writes for the home has locked the row. It is tried again; to wait here would hold up all changes.
                            PERFORM 1 FROM fibry_cluster_entries e WHERE e.cluster = c AND e.tab = ts[i] AND e.key = ks[i] FOR UPDATE SKIP LOCKED;
                            done := FOUND;
                        END IF;
                        IF done THEN
                            newest := newest + 1;
                            there := ns[i];
                            at := newest;
                            INSERT INTO fibry_cluster_entries VALUES (c, ts[i], ks[i], there, at) ON CONFLICT (cluster, tab, key)
                                DO UPDATE SET value = excluded.value, version = excluded.version;
                        END IF;
                        value := there;
                        version := at;
                        RETURN NEXT;
                    END LOOP;
                    UPDATE fibry_cluster_states t SET version = newest, timeline = fibry_cluster_timeline_1() WHERE t.cluster = c;
                END $$"""};

    private final String cluster;
    private final Connection connection;
    private final int timeoutBefore;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    PostgresCluster(String cluster, Connection connection, Duration limit) throws SQLException {
        this.cluster = cluster;
        this.connection = connection;
        timeoutBefore = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(limit.toMillis()));
        connection.setAutoCommit(true);
    }

    @Override
    public void makeTables() throws SQLException {
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
            boolean there;
            try (var rows =
                    statement.executeQuery("SELECT to_regclass('fibry_cluster_schema') IS NOT NULL")) {
                there = rows.next() && rows.getBoolean(1);
            }
            if (!there) {
                for (var each : TABLES) {
                    statement.execute(each);
                }
                statement
                        .execute("INSERT INTO fibry_cluster_schema VALUES(" + VERSION + ", " + VERSION + ")");
            }
            try (var rows = statement.executeQuery("SELECT version, oldest FROM fibry_cluster_schema")) {
                ClusterSession.requireVersion(rows);
            }
            connection.commit();
        } catch (SQLException failed) {
            try {
                connection.rollback(); // so that a pool gets it back without a transaction
                connection.setAutoCommit(true);
            } catch (SQLException also) {
                failed.addSuppressed(also);
            }
            throw failed;
        }
        connection.setAutoCommit(true);
    }

    private PreparedStatement prepare(String sql, Object... values) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    @Override
    public boolean join(UUID node, long beat, String address, String machine, byte[] description)
            throws SQLException {
        return isTrue(prepare("SELECT fibry_cluster_join_1(?, ?, ?, ?, ?, ?)", cluster, node, beat, address,
                machine, description));
    }

    private static boolean isTrue(PreparedStatement query) throws SQLException {
        try (var rows = query.executeQuery()) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    @Override
    public Beat beat(UUID node, long beat, long seen, Set<UUID> accused) throws SQLException {
        var members = new HashMap<UUID, Pulse>();
        long view = 0;
        long version = 0;
        var server = "";
        try (var rows =
                prepare("SELECT * FROM fibry_cluster_beat_1(?, ?, ?, ?, ?)", cluster, node, beat, seen,
                        connection.createArrayOf("uuid", accused.toArray())).executeQuery()) {
            while (rows.next()) {
                view = rows.getLong(1);
                version = rows.getLong(2);
                server = rows.getString(3);
                members.put(rows.getObject(4, UUID.class),
                        new Pulse(rows.getLong(5), State.of(rows.getInt(6)), rows.getLong(7),
                                Stream.of((UUID[]) rows.getArray(8).getArray()).collect(Collectors.toSet())));
            }
        }
        return new Beat(view, version, server, members);
    }

    @Override
    public Nodes nodes() throws SQLException {
        try (var rows = prepare(
                "SELECT t.view, m.node, m.joined, m.state, m.address, m.machine, m.description FROM fibry_cluster_states t"
                        + " JOIN fibry_cluster_nodes m ON m.cluster = t.cluster WHERE t.cluster = ? ORDER BY m.joined",
                cluster).executeQuery()) {
            return nodes(rows);
        }
    }

    static Nodes nodes(ResultSet rows) throws SQLException {
        var nodes = new ArrayList<NodeRow>();
        long view = 0;
        while (rows.next()) {
            view = rows.getLong(1);
            nodes.add(new NodeRow(UUID.fromString(rows.getString(2)), rows.getLong(3),
                    State.of(rows.getInt(4)), rows.getString(5),
                    rows.getString(6), rows.getBytes(7)));
        }
        return new Nodes(view, nodes);
    }

    @Override
    public boolean remove(UUID node, long beat, State state) throws SQLException {
        return isTrue(prepare("SELECT fibry_cluster_remove_1(?, ?, ?, ?)", cluster, node, beat, state.code));
    }

    @Override
    public void accuse(UUID node) throws SQLException {
        prepare("UPDATE fibry_cluster_nodes SET state = 3 WHERE cluster = ? AND node = ? AND state = 0",
                cluster, node).executeUpdate();
    }

    @Override
    public List<Entry> entriesAfter(long version) throws SQLException {
        try (var rows = prepare(
                "SELECT tab, key, value, version FROM fibry_cluster_entries WHERE cluster = ? AND version > ? ORDER BY version",
                cluster, version).executeQuery()) {
            return entries(rows);
        }
    }

    static List<Entry> entries(ResultSet rows) throws SQLException {
        var entries = new ArrayList<Entry>();
        while (rows.next()) {
            entries.add(new Entry(rows.getString(1), rows.getString(2), rows.getBytes(3), rows.getLong(4)));
        }
        return entries;
    }

    @Override
    public Optional<List<Result>> change(UUID by, List<Change> changes) throws SQLException {
        Array tables = connection.createArrayOf("text", changes.stream().map(Change::table).toArray());
        Array keys = connection.createArrayOf("text", changes.stream().map(Change::key).toArray());
        Array expected = connection.createArrayOf("bytea",
                changes.stream().map(Change::expected).toArray(byte[][]::new));
        Array next =
                connection.createArrayOf("bytea", changes.stream().map(Change::next).toArray(byte[][]::new));
        var results = new ArrayList<Result>();
        try (var rows = prepare("SELECT * FROM fibry_cluster_change_1(?, ?, ?, ?, ?, ?)", cluster, by, tables,
                keys, expected, next)
                .executeQuery()) {
            while (rows.next()) {
                var change = changes.get(results.size());
                results.add(new Result(rows.getBoolean(1),
                        new Entry(change.table(), change.key(), rows.getBytes(2), rows.getLong(3))));
            }
        }
        return results.isEmpty() ? Optional.empty() : Optional.of(results);
    }

    @Override
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException failed) {
            LOGGER.debug("A connection could not be aborted", failed);
        }
    }

    /** Gives the connection back, which may go to a pool. */
    @Override
    public void close() {
        try (connection) {
            for (var each : prepared.values()) {
                each.close();
            }
            connection.setNetworkTimeout(Runnable::run, timeoutBefore);
        } catch (SQLException broken) {
            LOGGER.debug("A connection could not be given back", broken);
        }
    }
}
