package io.fibry.examples.orders;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A PostgreSQL database: one that the example starts, or one that runs already. */
final class Database implements AutoCloseable {
    private static final int ITEMS = 100;

    private final String url;
    private final AutoCloseable server;

    private Database(String url, AutoCloseable server) {
        this.url = url;
        this.server = server;
    }

    /**
     * Opens a database and fills the tables of a shop.
     *
     * @param url the URL of a database that runs already; empty to start one
     */
    static Database open(String url) throws SQLException, IOException {
        var database = url.isEmpty() ? start() : new Database(url, () -> {
        });
        try (var connection = database.connect(); var statement = connection.createStatement()) {
            statement.execute("drop table if exists stock, orders");
            statement.execute("create table stock (item int primary key, left_over int not null)");
            statement.execute("create table orders (id bigserial primary key, item int not null)");
            statement.execute(
                    "insert into stock select n, 1000000000 from generate_series(0, " + (ITEMS - 1) + ") n");
        } catch (SQLException e) {
            database.close();
            throw e;
        }
        return database;
    }

    private static Database start() throws IOException {
        var postgres = OwnPostgres.start();
        return new Database(postgres.url(), postgres);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (Exception e) {
            System.err.println("PostgreSQL did not stop: " + e);
        }
    }
}
