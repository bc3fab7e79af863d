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
     * Makes a place for a bank.
     *
     * @return its URL for JDBC
     * @throws SQLException if the database fails
     */
    String newBank() throws SQLException;

    /**
     * Makes an empty bank of durable actors.
     *
     * @param pipelined whether the turns of one account share commits
     * @return the bank
     * @throws SQLException if the database fails
     */
    default DurableAccounts actors(boolean pipelined) throws SQLException {
        return new ActorAccounts(newBank(), pipelined);
    }

    /**
     * Makes an empty bank by hand, whose deposits are a transaction each.
     *
     * @param connections how many transactions there may be at a time
     * @param keepsBalance whether each transaction also changes the balance of its account, so that deposits of one account have an order
     * @return the bank
     * @throws SQLException if the database fails
     */
    default DurableAccounts byHand(int connections, boolean keepsBalance) throws SQLException {
        return new HandAccounts(this, newBank(), connections, keepsBalance);
    }

    /**
     * Returns how many connections are best for a bank by hand.
     *
     * @return the number
     */
    int connections();

    /** Returns what each connection is to set. */
    String[] settings();

    /** Returns the statements that make the tables of a bank by hand. */
    String[] tables();

    @Override
    void close() throws IOException, SQLException;
}
