package io.fibry.durable;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Transactions on a connection of SQLite. The connection is made by the first transaction, and by the first one after a transaction that has failed,
 * which closes the connection: when the disk is full, SQLite may have ended the transaction by itself, and its statements have not ended. Not thread-safe.
 */
final class SqliteSession implements SqlSession {
    private final Path file;
    private final Duration limit;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private @Nullable Connection open;

    SqliteSession(Path file, Duration limit) {
        this.file = file;
        this.limit = limit;
    }

    @Override
    public <T> T run(Transaction<T> work) throws SQLException {
        try {
            var connection = open == null ? connect() : open;
            open = connection;
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
    PreparedStatement prepared(Connection connection, String sql) throws SQLException {
        var known = prepared.get(sql);
        if (known != null) {
            return known;
        }
        var statement = connection.prepareStatement(sql);
        prepared.put(sql, statement);
        return statement;
    }

    private Connection connect() throws SQLException {
        var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try {
            try (var statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout=" + limit.toMillis());
                statement.execute("PRAGMA journal_mode=WAL");
                statement.execute("PRAGMA synchronous=FULL");
                statement.execute("PRAGMA wal_autocheckpoint=8000");
                statement.execute("PRAGMA cache_size=-65536");
            }
            require(connection, "PRAGMA journal_mode", "wal");
            require(connection, "PRAGMA synchronous", "2");
            connection.setAutoCommit(false);
            // mutant: file-is-not-flushed-at-a-commit
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void require(Connection connection, String pragma, String value) throws SQLException {
        var found = SqliteTables.first(connection, pragma);
        if (!value.equalsIgnoreCase(found)) {
            throw new SQLException("the store " + file + " would not be durable: " + pragma + " is " + found
                    + " and not " + value + "; is the file on a network drive?");
        }
    }

    /** Closes the connection, which rolls back a transaction that has not ended. */
    @Override
    public void close() throws SQLException {
        var connection = open;
        open = null;
        prepared.clear();
        if (connection != null) {
            connection.close();
        }
    }
}
