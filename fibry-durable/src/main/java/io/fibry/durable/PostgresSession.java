package io.fibry.durable;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Transactions on a connection of PostgreSQL. If PostgreSQL cannot be reached, it rolls back when it notices.
 *
 * <p>A session keeps the plans of its statements: PostgreSQL would plan those that have arrays each time, which takes longer than a lone turn. A plan
 * that was made while a table was small would read the whole table, and go on doing so while the table grows, until the statistics are new. So statements
 * use an index wherever there is one.
 */
final class PostgresSession extends SqlSession {
    private final Source source;
    private final Duration limit;
    private final int isolation;
    /** The network timeout of the connection before it was changed. */
    private int timeoutBefore;

    PostgresSession(Source source, Duration limit, int isolation) {
        this.source = source;
        this.limit = limit;
        this.isolation = isolation;
    }

    @Override
    Connection connect() throws SQLException {
        var connection = source.connect();
        try {
            timeoutBefore = connection.getNetworkTimeout();
            // Longer than PostgreSQL's own limits, which say more when they are over.
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(2 * limit.toMillis()));
            try (var statement = connection.createStatement()) {
                statement.execute("SET statement_timeout = " + limit.toMillis());
                statement.execute("SET idle_in_transaction_session_timeout = " + limit.toMillis());
                statement.execute("SET enable_seqscan = off");
                statement.execute("SET plan_cache_mode = force_generic_plan");
            }
            connection.setTransactionIsolation(isolation);
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Closes a connection without the settings of this session, since it may go back to a pool. */
    @Override
    void giveBack(Connection connection) throws SQLException {
        try (connection) {
            connection.rollback();
            connection.setAutoCommit(true);
            try (var statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_unlock_all()");
                statement.execute("RESET statement_timeout");
                statement.execute("RESET idle_in_transaction_session_timeout");
                statement.execute("RESET enable_seqscan");
                statement.execute("RESET plan_cache_mode");
                statement.execute("RESET default_transaction_isolation");
            }
            connection.setNetworkTimeout(Runnable::run, timeoutBefore);
        }
    }

    /** Makes connections. */
    @FunctionalInterface
    interface Source {
        Connection connect() throws SQLException;
    }
}
