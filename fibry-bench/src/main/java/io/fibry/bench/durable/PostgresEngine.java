package io.fibry.bench.durable;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A PostgreSQL server of its own, which flushes each commit. Each bank has a database of its own. */
public final class PostgresEngine implements StoreEngine {
    private static final int CONNECTIONS = 8;

    private final EmbeddedPostgres server;
    private final AtomicInteger databases = new AtomicInteger();

    private final SlowFlush slow;

    private PostgresEngine(EmbeddedPostgres server, SlowFlush slow) {
        this.server = server;
        this.slow = slow;
    }

    /**
     * Starts a server.
     *
     * @param flush how long each commit takes in addition to what it takes here; may be zero
     * @return the engine
     * @throws IOException if there is none for this machine
     * @throws SQLException if there is no driver
     */
    public static PostgresEngine start(Duration flush) throws IOException, SQLException {
        // The embedded server does not flush unless it is told to.
        var server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(1))
                .setServerConfig("fsync", "on").setServerConfig("synchronous_commit", "on")
                .setServerConfig("shared_buffers", "256MB").setServerConfig("max_wal_size", "4GB").start();
        return new PostgresEngine(server,
                SlowFlush.install(server.getJdbcUrl("postgres", "postgres"), flush));
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

    @Override
    public String newBank() throws SQLException {
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
    public int connections() {
        return CONNECTIONS;
    }

    /**
     * Makes an empty bank of persistent actors of Pekko.
     *
     * @return the bank
     * @throws SQLException if the database fails
     */
    public DurableAccounts pekko() throws SQLException {
        return new PekkoAccounts(newBank(), CONNECTIONS);
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
    public void close() throws IOException, SQLException {
        slow.close();
        server.close();
    }
}
