package io.fibry.durable;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Transactions on a connection of a database server. If the server cannot be reached, it rolls back when it notices. */
final class ServerSession extends SqlSession {
    private final Source source;
    private final Duration limit;
    private final int isolation;
    private final Settings settings;
    /** The network timeout of the connection before it was changed. */
    private int timeoutBefore;
    private int isolationBefore;

    ServerSession(Source source, Duration limit, int isolation, Settings settings, String begin) {
        super(begin);
        this.source = source;
        this.limit = limit;
        this.isolation = isolation;
        this.settings = settings;
    }

    @Override
    Connection connect() throws SQLException {
        var connection = source.connect();
        try {
            timeoutBefore = connection.getNetworkTimeout();
            // Longer than the limits of the server, which say more when they are over.
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(2 * limit.toMillis()));
            isolationBefore = connection.getTransactionIsolation();
            execute(connection, settings.begin());
            connection.setTransactionIsolation(isolation);
            if (connection.getTransactionIsolation() != isolation) {
                throw new SQLException("the connection keeps the isolation level "
                        + connection.getTransactionIsolation() + ", and the store needs " + isolation
                        + " of java.sql.Connection");
            }
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static void execute(Connection connection, List<String> statements) throws SQLException {
        try (var statement = connection.createStatement()) {
            for (var each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Closes a connection without the settings of this session, since it may go back to a pool. */
    @Override
    void giveBack(Connection connection) throws SQLException {
        try (connection) {
            connection.rollback();
            connection.setAutoCommit(true);
            connection.setTransactionIsolation(isolationBefore);
            execute(connection, settings.end());
            connection.setNetworkTimeout(Runnable::run, timeoutBefore);
        }
    }

    /**
     * Statements that set a connection.
     *
     * @param begin run when it is new
     * @param end set it as it was before
     */
    record Settings(List<String> begin, List<String> end) {
    }

    /** Makes connections. */
    @FunctionalInterface
    interface Source {
        Connection connect() throws SQLException;
    }
}
