package io.fibry.bench.orders;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** A database of its own, whose calls take some time. Thread-safe. */
public final class SlowDatabase implements AutoCloseable {
    private final OrdersEngine engine;
    private final Optional<String> remark;

    private SlowDatabase(OrdersEngine engine, Optional<String> remark) {
        this.engine = engine;
        this.remark = remark;
    }

    /**
     * Starts a PostgreSQL database or, if there is none for this machine, an H2 database.
     *
     * @param work how long a call of it takes
     * @return the database
     * @throws IOException if it does not start
     * @throws SQLException if it has no tables
     */
    public static SlowDatabase start(Duration work) throws IOException, SQLException {
        return start(work, Postgres::start);
    }

    /**
     * Starts an engine or, if this fails, an H2 database.
     *
     * @param work how long a call of it takes
     * @param preferred the engine
     * @return the database
     * @throws IOException if it does not start
     * @throws SQLException if it has no tables
     */
    static SlowDatabase start(Duration work, OrdersEngine.Kind preferred) throws IOException, SQLException {
        try {
            return with(preferred.start(work), Optional.empty());
        } catch (IOException | SQLException | RuntimeException none) {
            return with(H2.start(work),
                    Optional.of("PostgreSQL cannot be started here (%s), so an embedded database "
                            .formatted(none) + "takes its place"));
        }
    }

    private static SlowDatabase with(OrdersEngine engine, Optional<String> remark)
            throws IOException, SQLException {
        var database = new SlowDatabase(engine, remark);
        try (var connection = database.connect(); var statement = connection.createStatement()) {
            for (var sql : engine.tables()) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            database.close();
            throw e;
        }
        return database;
    }

    /**
     * Returns the name of the engine, and its version.
     *
     * @return the name
     * @throws SQLException if it does not answer
     */
    public String name() throws SQLException {
        try (var connection = connect()) {
            var data = connection.getMetaData();
            return data.getDatabaseProductName() + " " + data.getDatabaseProductVersion();
        }
    }

    /**
     * Returns why the engine is not the preferred one.
     *
     * @return the reason, empty if it is the preferred one
     */
    public Optional<String> remark() {
        return remark;
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(engine.url());
    }

    /** The first call of an order. */
    void find(Connection connection, int item) throws SQLException {
        try (var query = connection.prepareStatement(engine.find())) {
            query.setInt(1, item);
            try (var found = query.executeQuery()) {
                if (!found.next() || found.getInt(1) <= 0) {
                    throw new SQLException("there is no item " + item);
                }
            }
        }
    }

    /** The second call. */
    void take(Connection connection, int item) throws SQLException {
        update(connection, engine.take(), item);
    }

    /** The third call. */
    void book(Connection connection, int item) throws SQLException {
        update(connection, engine.book(), item);
    }

    private static void update(Connection connection, String sql, int item) throws SQLException {
        try (var update = connection.prepareStatement(sql)) {
            update.setInt(1, item);
            if (update.executeUpdate() != 1) {
                throw new SQLException("not one row: " + sql);
            }
        }
    }

    /**
     * Returns how many orders were booked since the start.
     *
     * @return the number
     * @throws SQLException if it does not answer
     */
    public int booked() throws SQLException {
        try (var connection = connect();
                var query = connection.createStatement();
                var found = query.executeQuery("select count(*) from booked")) {
            found.next();
            return found.getInt(1);
        }
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }
}
