package io.fibry.bench.orders;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** What runs a {@link SlowDatabase}: where it is, and how it says "and this takes a while". */
interface DatabaseEngine extends AutoCloseable {
    /** Where it is, as drivers want it. */
    String url();

    /** Statements that make the table of bookings, one of a hundred items, and whatever the calls need. */
    String[] tables();

    /** Finds how many are left of the item that is its parameter, and takes the time of a call. */
    String find();

    /** Takes one of them, in the same time. */
    String take();

    /** Books the item, in the same time. */
    String book();

    @Override
    void close() throws IOException;

    /** A kind of engines. */
    @FunctionalInterface
    interface Kind {
        /** Starts one whose calls take so long. */
        DatabaseEngine start(Duration work) throws IOException, SQLException;
    }
}
