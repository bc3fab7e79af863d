package io.fibry.bench.durable;

import io.fibry.durable.CommitOptions;
import io.fibry.durable.DurableStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** A PostgreSQL server of its own, which flushes each commit. Each bank has a database of its own. */
public final class PostgresEngine implements StoreEngine {
    private static final int CONNECTIONS = 8;

    private final EmbeddedPostgres server;
    private final AtomicInteger databases = new AtomicInteger();

    private PostgresEngine(EmbeddedPostgres server) {
        this.server = server;
    }

    /**
     * Starts a server.
     *
     * @return the engine
     * @throws IOException if there is none for this machine
     */
    public static PostgresEngine start() throws IOException {
        // The embedded server does not flush unless it is told to.
        return new PostgresEngine(EmbeddedPostgres.builder().setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on").setServerConfig("shared_buffers", "256MB")
                .setServerConfig("max_wal_size", "4GB").start());
    }

    @Override
    public String name() {
        try (var connection = DriverManager.getConnection(url("postgres"));
                var statement = connection.createStatement();
                var rows = statement.executeQuery("show server_version")) {
            rows.next();
            return "PostgreSQL " + rows.getString(1);
        } catch (SQLException e) {
            return "PostgreSQL";
        }
    }

    private String url(String database) {
        return server.getJdbcUrl("postgres", database);
    }

    private String database() throws SQLException {
        var name = "bank" + databases.incrementAndGet();
        try (var connection = DriverManager.getConnection(url("postgres"));
                var statement = connection.createStatement()) {
            for (var setting : new String[]{"fsync", "synchronous_commit"}) {
                try (var rows = statement.executeQuery("show " + setting)) {
                    rows.next();
                    if (!rows.getString(1).equals("on")) {
                        throw new AssertionError(setting + " is " + rows.getString(1));
                    }
                }
            }
            statement.execute("create database " + name);
        }
        return url(name);
    }

    @Override
    public DurableAccounts actors(boolean pipelined) throws SQLException {
        var url = database();
        return new ActorAccounts(DurableStore.open(url, CommitOptions.defaults()), pipelined,
                () -> count(url));
    }

    private static long count(String url) throws SQLException {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select sum(newest) from (select max(rev) newest from fibry_turns group by grp, key) each_key")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public DurableAccounts byHand() throws SQLException {
        return new HandAccounts(this, database(), CONNECTIONS);
    }

    @Override
    public String[] settings() {
        return new String[]{};
    }

    @Override
    public String[] tables() {
        return new String[]{
            "create table deposits (account bigint not null, rev bigint not null, event bytea not null, "
                    + "primary key (account, rev))"};
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
