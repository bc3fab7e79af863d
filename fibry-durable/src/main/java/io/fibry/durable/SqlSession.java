package io.fibry.durable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Transactions on a connection to a database. The connection is made by the first transaction, and by the first one after a transaction that has failed,
 * which gives the connection up. Not thread-safe.
 */
abstract class SqlSession implements AutoCloseable {
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final String begin;
    private @Nullable Connection open;

    /** @param begin a statement with which each transaction begins; empty if there is none */
    SqlSession(String begin) {
        this.begin = begin;
    }

    /** Runs a transaction, which is committed if the work returns. */
    final <T> T run(Transaction<T> work) throws SQLException {
        try {
            var connection = open == null ? connect() : open;
            open = connection;
            if (!begin.isEmpty()) {
                prepared(connection, begin).execute();
            }
            var result = work.run(connection);
            connection.commit();
            return result;
        } catch (Throwable e) { // also an error: the next transaction must not commit what this one has done
            try {
                // mutant: connection-is-kept-after-a-failure
                close();
            } catch (SQLException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    /** Returns a statement, which is there as long as the connection. Called in a transaction. */
    final PreparedStatement prepared(Connection connection, String sql) throws SQLException {
        var known = prepared.get(sql);
        if (known != null) {
            return known;
        }
        var statement = connection.prepareStatement(sql);
        prepared.put(sql, statement);
        return statement;
    }

    /** Makes a connection that commits when it is told. */
    abstract Connection connect() throws SQLException;

    /** Closes a connection, in whatever state it is: a transaction that has not ended is rolled back. */
    abstract void giveBack(Connection connection) throws SQLException;

    @Override
    public final void close() throws SQLException {
        var connection = open;
        open = null;
        prepared.clear();
        if (connection != null) {
            giveBack(connection);
        }
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Transaction<T> {
        T run(Connection connection) throws SQLException;
    }
}
