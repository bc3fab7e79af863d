package io.fibry.cluster.database;

import io.fibry.cluster.engine.ClusterEngine.Change;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session in PostgreSQL. Each operation is one call of a function, without a transaction around it: no lock is held while an
 * answer goes to a frozen client. The names of the functions have the version of the tables, so two releases work side by side.
 */
final class PostgresCluster extends ClusterSession {
    private static final Logger LOGGER = LoggerFactory.getLogger(PostgresCluster.class);
    /** One process at a time makes the tables. */
    private static final long SCHEMA_LOCK = 0x66696272790C1L;
    private static final String[] MORE = {
        "ALTER TABLE fibry_cluster_nodes SET (fillfactor = 50)",
        "CREATE FUNCTION fibry_cluster_timeline_1() RETURNS text LANGUAGE sql AS 'SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)'",
        // No text of a time, which would depend on settings of the client.
        """
                CREATE FUNCTION fibry_cluster_server_1() RETURNS text LANGUAGE sql AS
                    'SELECT fibry_cluster_timeline_1() || '' '' || (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint'""",
        """
                CREATE FUNCTION fibry_cluster_join_1(c text, n uuid, b bigint, a text, m text, d bytea, l bigint)
                    RETURNS TABLE(server text, other boolean) LANGUAGE plpgsql AS $$
                DECLARE v bigint;
                BEGIN
                    INSERT INTO fibry_cluster_states VALUES (c, 0, 0, fibry_cluster_timeline_1()) ON CONFLICT DO NOTHING;
                    SELECT view + 1, timeline <> fibry_cluster_timeline_1() INTO v, other FROM fibry_cluster_states WHERE cluster = c FOR UPDATE;
                    UPDATE fibry_cluster_states SET view = v WHERE cluster = c;
                    DELETE FROM fibry_cluster_entries WHERE cluster = c AND value IS NULL AND version <=
                        (SELECT coalesce(min(seen), 9223372036854775807) FROM fibry_cluster_nodes WHERE cluster = c AND state <> 1);
                    DELETE FROM fibry_cluster_nodes WHERE cluster = c AND state IN (1, 2) AND joined < v - 100;
                    INSERT INTO fibry_cluster_nodes VALUES (c, n, v, b, 0, 0, a, m, d, '', l) ON CONFLICT (cluster, node)
                        DO UPDATE SET joined = v, beat = b, state = 0, seen = 0, accused = '' WHERE fibry_cluster_nodes.state <> 1;
                    server := fibry_cluster_server_1();
                    RETURN NEXT;
                END $$""",
        """
                CREATE FUNCTION fibry_cluster_beat_1(c text, n uuid, b bigint, s bigint, a text) RETURNS TABLE(view bigint, version bigint,
                    server text, node uuid, beat bigint, state int, joined bigint, accused text, lease bigint) LANGUAGE plpgsql AS $$
                BEGIN
                    UPDATE fibry_cluster_nodes m SET beat = greatest(m.beat, b), seen = s, accused = a
                        WHERE m.cluster = c AND m.node = n AND m.state = 0;
                    RETURN QUERY SELECT t.view, t.version, fibry_cluster_server_1(), m.node, m.beat, m.state,
                        m.joined, m.accused, m.lease FROM fibry_cluster_states t
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
                CREATE FUNCTION fibry_cluster_change_1(c text, n uuid, s text, ts text[], ks text[], es bytea[], ns bytea[])
                    RETURNS TABLE(done boolean, value bytea, version bigint) LANGUAGE plpgsql AS $$
                DECLARE newest bigint; there bytea; at bigint;
                BEGIN
                    IF s <> fibry_cluster_server_1() THEN RAISE EXCEPTION 'the node has not compared its copies with this server yet'; END IF;
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

    private final int timeoutBefore;

    PostgresCluster(String cluster, Connection connection, Duration limit) throws SQLException {
        super(cluster, connection);
        timeoutBefore = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(limit.toMillis()));
        connection.setAutoCommit(true);
    }

    @Override
    String countOfSchemas() {
        return "SELECT count(to_regclass('fibry_cluster_schema'))";
    }

    /** A later release that finds the tables leaves the functions of this one. */
    @Override
    void makeMore() throws SQLException {
        for (var each : MORE) {
            execute(each);
        }
    }

    @Override
    @Nullable Object bound(@Nullable Object value) {
        return value;
    }

    @Override
    <T> T locked(Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
            var result = work.run();
            connection.commit();
            connection.setAutoCommit(true);
            return result;
        } catch (SQLException failed) {
            try {
                connection.rollback(); // so that a pool gets it back without a transaction
                connection.setAutoCommit(true);
            } catch (SQLException also) {
                failed.addSuppressed(also);
            }
            throw failed;
        }
    }

    @Override
    Joined join(UUID node, long beat, String address, String machine, byte[] description, long lease)
            throws SQLException {
        try (var row = prepare("SELECT * FROM fibry_cluster_join_1(?, ?, ?, ?, ?, ?, ?)", cluster, node, beat,
                address, machine, description, lease).executeQuery()) {
            row.next();
            return new Joined(row.getString(1), row.getBoolean(2));
        }
    }

    private static boolean isTrue(PreparedStatement query) throws SQLException {
        try (var rows = query.executeQuery()) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    @Override
    Beat beat(UUID node, long beat, long seen, Set<UUID> accused) throws SQLException {
        try (var rows = prepare("SELECT * FROM fibry_cluster_beat_1(?, ?, ?, ?, ?)", cluster, node, beat,
                seen, text(accused)).executeQuery()) {
            return beat(rows);
        }
    }

    @Override
    boolean remove(UUID node, long beat, State state) throws SQLException {
        return isTrue(prepare("SELECT fibry_cluster_remove_1(?, ?, ?, ?)", cluster, node, beat, state.code));
    }

    @Override
    Optional<List<Result>> change(UUID by, String server, List<Change> changes) throws SQLException {
        var results = new ArrayList<Result>();
        try (var rows = prepare("SELECT * FROM fibry_cluster_change_1(?, ?, ?, ?, ?, ?, ?)", cluster, by,
                server,
                connection.createArrayOf("text", changes.stream().map(Change::table).toArray()),
                connection.createArrayOf("text", changes.stream().map(Change::key).toArray()),
                connection.createArrayOf("bytea",
                        changes.stream().map(Change::expected).toArray(byte[][]::new)),
                connection.createArrayOf("bytea", changes.stream().map(Change::next).toArray(byte[][]::new)))
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
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException failed) {
            LOGGER.debug("A connection could not be aborted", failed);
        }
    }

    @Override
    void giveBack() throws SQLException {
        connection.setNetworkTimeout(Runnable::run, timeoutBefore);
    }
}
