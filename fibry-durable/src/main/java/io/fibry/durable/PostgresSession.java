package io.fibry.durable;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Transactions on a connection of PostgreSQL. The connection is made by the first transaction, and by the first one after a transaction that has failed,
 * which gives the connection up. Not thread-safe.
 *
 * <p>A session keeps the plans of its statements: PostgreSQL would plan those that have arrays each time, which takes longer than a lone turn. A plan
 * that was made while a table was small would read the whole table, and go on doing so while the table grows, until the statistics are new. So statements
 * use an index wherever there is one.
 */
final class PostgresSession implements SqlSession {
    private final Source source;
    private final Duration limit;
    private final int isolation;
    private @Nullable Connection open;
    /** The network timeout of the connection before it was changed. */
    private int timeoutBefore;

    PostgresSession(Source source, Duration limit, int isolation) {
        this.source = source;
        this.limit = limit;
        this.isolation = isolation;
    }

    @Override
    public <T> T run(Transaction<T> work) throws SQLException {
        var connection = open == null ? connect() : open;
        open = connection;
        try {
            var result = work.run(connection);
            connection.commit();
            return result;
        } catch (Throwable e) { // also an error: the next transaction must not commit what this one has done
            open = null;
            // If PostgreSQL cannot be reached, it rolls back when it notices.
            try {
                giveBack(connection);
            } catch (SQLException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    private Connection connect() throws SQLException {
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

    @Override
    public void close() throws SQLException {
        var connection = open;
        open = null;
        if (connection != null) {
            giveBack(connection);
        }
    }

    /** Closes a connection without the settings of this session, since it may go back to a pool. */
    private void giveBack(Connection connection) throws SQLException {
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
