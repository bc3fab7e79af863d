package io.fibry.examples.orders;

import java.sql.Connection;
import java.sql.SQLException;

/** One order. It makes three calls of the database, each of which takes some time. */
record Order(int item) {
    /** The time that the database takes for a call. With four connections, it serves 133 orders a second. */
    private static final String WORK = "pg_sleep(0.01)";

    /** The first call finds out how many items are left. */
    boolean inStock(Connection connection) throws SQLException {
        try (var query =
                connection.prepareStatement("select left_over from stock, " + WORK + " where item = ?")) {
            query.setInt(1, item);
            try (var found = query.executeQuery()) {
                return found.next() && found.getInt(1) > 0;
            }
        }
    }

    /** The second call takes one item. */
    void take(Connection connection) throws SQLException {
        execute(connection, "update stock set left_over = left_over - 1 from " + WORK + " where item = ?");
    }

    /** The third call books the item. */
    void book(Connection connection) throws SQLException {
        execute(connection, "insert into orders (item) select ? from " + WORK);
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (var update = connection.prepareStatement(sql)) {
            update.setInt(1, item);
            update.executeUpdate();
        }
    }
}
