package io.fibry.bench.orders;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** The engine of a {@link SlowDatabase}: its URL, and its statements, which take some time. */
interface OrdersEngine extends AutoCloseable {
    /** Returns the URL for the driver. */
    String url();

    /** Returns statements that make the table of bookings, a table of a hundred items, and what the calls need. */
    String[] tables();

    /**
     * Returns the statement that finds how many are left of the item in its parameter, and takes the time of a call.
     */
    String find();

    /** Returns the statement that takes one of them, in the same time. */
    String take();

    /** Returns the statement that books the item, in the same time. */
    String book();

    @Override
    void close() throws IOException;

    /** A kind of engine. */
    @FunctionalInterface
    interface Kind {
        /** Starts an engine whose calls take the given time. */
        OrdersEngine start(Duration work) throws IOException, SQLException;
    }
}
