package io.fibry.bench.orders;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/**
 * Takes orders. Each order makes three calls of a database, of which as many can run at a time as the shop has
 * connections. Thread-safe.
 */
public interface MeasuredShop extends AutoCloseable {
    /** The number of calls of the database that an order makes. */
    int CALLS = 3;

    /**
     * Returns a shop whose orders wait for a connection, once for each call.
     *
     * @param database the database
     * @param connections the number of connections to it
     * @param threads runs the orders; closed with the shop
     * @param patience how long an order waits for a connection
     * @return the shop
     * @throws SQLException if the database cannot be reached
     */
    static MeasuredShop waiting(SlowDatabase database, int connections, ExecutorService threads,
            Duration patience) throws SQLException {
        return new WaitingShop(database, connections, threads, patience);
    }

    /**
     * Returns a shop with an actor for each connection, whose mailbox refuses orders for which it has no place.
     *
     * @param database the database
     * @param connections the number of connections to it
     * @param places how many orders wait for each actor at most
     * @return the shop
     * @throws SQLException if the database cannot be reached
     */
    static MeasuredShop shedding(SlowDatabase database, int connections, int places) throws SQLException {
        return new SheddingShop(database, connections, places);
    }

    /**
     * Handles an order and waits for its end.
     *
     * @param item the item that is ordered
     * @throws BusyException if the shop has too much to do
     * @throws Exception if the order failed
     */
    void handle(int item) throws Exception;

    @Override
    void close() throws SQLException;

    /** Thrown if there is too much to do. A server answers with 503. */
    final class BusyException extends Exception {
        private static final long serialVersionUID = 1;

        BusyException(String message) {
            super(message, null, false, false);
        }
    }
}
