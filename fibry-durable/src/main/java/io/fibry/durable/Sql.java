package io.fibry.durable;

import java.sql.Connection;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a connection. Each is prepared once, and is there as long as the connection. A parameter that is
 * null is given by its type, since PostgreSQL would plan a statement anew for a null of no type. Not thread-safe.
 */
final class Sql {
    final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    /** The statement whose batch is to be run. */
    private @Nullable PreparedStatement added;

    Sql(Connection connection) {
        this.connection = connection;
    }

    /** Returns a statement with its parameters. */
    PreparedStatement statement(String sql, Object... values) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof JDBCType type) {
                statement.setNull(i + 1, type.getVendorTypeNumber());
            } else {
                statement.setObject(i + 1, values[i]);
            }
        }
        return statement;
    }

    int update(String sql, Object... values) throws SQLException {
        return statement(sql, values).executeUpdate();
    }

    /** Runs a statement after those before, in {@link #runAll} at the latest. Those in a row with one text are a batch. */
    void add(String sql, Object... values) throws SQLException {
        var statement = statement(sql, values);
        if (statement != added) {
            runAll();
            added = statement;
        }
        statement.addBatch();
    }

    /** Runs the statements that were added. */
    void runAll() throws SQLException {
        var batch = added;
        added = null;
        if (batch != null) {
            batch.executeBatch();
        }
    }

    <T> List<T> all(String sql, Row<T> row, Object... values) throws SQLException {
        var found = new ArrayList<T>();
        try (var rows = statement(sql, values).executeQuery()) {
            while (rows.next()) {
                found.add(row.read(rows));
            }
        }
        return found;
    }

    <T> Optional<T> first(String sql, Row<T> row, Object... values) throws SQLException {
        try (var rows = statement(sql, values).executeQuery()) {
            return rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
        }
    }

    /** Runs statements that are not kept, such as those that make tables. */
    void execute(List<String> statements) throws SQLException {
        try (var statement = connection.createStatement()) {
            for (var each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Reads the row at which the result of a query stands. */
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet rows) throws SQLException;
    }
}
