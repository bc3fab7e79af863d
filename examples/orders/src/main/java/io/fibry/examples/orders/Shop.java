package io.fibry.examples.orders;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Takes orders. Each calling thread brings one order, and any number of them may call at the same time. */
interface Shop extends AutoCloseable {
    int CONNECTIONS = 4;

    /**
     * Handles an order and waits for its end.
     *
     * @param order the order
     * @throws Exception if it was not handled: the shop has too much to do, or the database failed
     */
    void handle(Order order) throws Exception;

    @Override
    void close();

    /** Closes connections, whatever becomes of each. */
    static void close(List<Connection> connections) {
        for (var each : connections) {
            try {
                each.close();
            } catch (SQLException e) {
                System.err.println("a connection was not closed: " + e.getMessage());
            }
        }
    }
}
