package io.fibry.bench.orders;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/** Takes orders. Each makes three calls of a database, of which only four can run at a time. Thread-safe. */
public interface MeasuredShop extends AutoCloseable {
    /** How many connections to its database a shop has. */
    int CONNECTIONS = 4;

    /** How many calls of the database an order makes. */
    int CALLS = 3;

    /**
     * Orders wait for a connection, once for each call.
     *
     * @param database the database
     * @param threads where orders are handled; closed with the shop
     * @param patience how long an order waits for a connection
     * @return the shop
     * @throws SQLException if the database cannot be reached
     */
    static MeasuredShop waiting(SlowDatabase database, ExecutorService threads, Duration patience)
            throws SQLException {
        return new WaitingShop(database, threads, patience);
    }

    /**
     * An actor for each connection, whose mailbox refuses what finds no place.
     *
     * @param database the database
     * @param places how many orders wait for each actor at most
     * @return the shop
     * @throws SQLException if the database cannot be reached
     */
    static MeasuredShop shedding(SlowDatabase database, int places) throws SQLException {
        return new SheddingShop(database, places);
    }

    /**
     * Handles an order and waits for its end.
     *
     * @param item what is ordered
     * @throws BusyException if the shop has too much to do
     * @throws Exception if it failed
     */
    void handle(int item) throws Exception;

    @Override
    void close() throws SQLException;

    /** There is too much to do: a server says 503 for this. */
    final class BusyException extends Exception {
        private static final long serialVersionUID = 1;

        BusyException(String message) {
            super(message, null, false, false);
        }
    }
}
