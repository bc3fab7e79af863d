package io.fibry.durable;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Transactions on a connection of SQLite. One that has failed is not used again: when the disk is full, SQLite may have ended the transaction by itself, and its
 * statements have not ended.
 */
final class SqliteSession extends SqlSession {
    private final Path file;
    private final Duration limit;

    SqliteSession(Path file, Duration limit, String begin) {
        super(begin);
        this.file = file;
        this.limit = limit;
    }

    @Override
    Connection connect() throws SQLException {
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

    @Override
    void giveBack(Connection connection) throws SQLException {
        connection.close();
    }
}
