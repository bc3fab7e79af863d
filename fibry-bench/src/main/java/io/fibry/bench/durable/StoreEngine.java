package io.fibry.bench.durable;

import java.io.IOException;
import java.sql.SQLException;

/** A database for accounts. It is empty at first, and each bank has a part of its own. */
public interface StoreEngine extends AutoCloseable {
    /**
     * Returns the name and the version.
     *
     * @return the name
     */
    String name();

    /**
     * Makes an empty bank of durable actors.
     *
     * @param pipelined whether the turns of one account share commits
     * @return the bank
     * @throws Exception if the database fails
     */
    DurableAccounts actors(boolean pipelined) throws Exception;

    /**
     * Makes an empty bank by hand, whose deposits are a transaction each.
     *
     * @return the bank
     * @throws Exception if the database fails
     */
    DurableAccounts byHand() throws Exception;

    /** Returns what each connection is to set. */
    String[] settings();

    /** Returns the statements that make the tables of a bank by hand. */
    String[] tables();

    @Override
    void close() throws IOException, SQLException;
}
