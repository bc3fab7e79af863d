package io.fibry.durable;

import java.sql.Connection;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The statements of a connection. Each is prepared once, and is there as long as the connection. A parameter that is null is given
 * by its type, since PostgreSQL would plan a statement anew for a null of no type. Not thread-safe.
 */
final class Sql {
    final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final Set<PreparedStatement> added = new LinkedHashSet<>();

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

    /** Adds a statement to those that {@link #runAll} runs: those with the same text together. */
    void add(String sql, Object... values) throws SQLException {
        var statement = statement(sql, values);
        statement.addBatch();
        added.add(statement);
    }

    /** Runs the statements that were added. Returns how many. */
    int runAll() throws SQLException {
        int count = 0;
        for (var batch : added) {
            count += batch.executeBatch().length;
        }
        added.clear();
        return count;
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
