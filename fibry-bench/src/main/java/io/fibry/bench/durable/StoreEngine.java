package io.fibry.bench.durable;

import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;

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
     * Makes an empty bank of durable actors with a projection of them.
     *
     * @param turns counts the turns that the projection gets
     * @return the bank
     * @throws SQLException if the database fails
     * @throws InterruptedException if the thread was interrupted
     */
    default DurableAccounts projected(LongAdder turns) throws SQLException, InterruptedException {
        var bank = new ActorAccounts(newBank(), false);
        bank.project(turns);
        return bank;
    }

    /** What a deposit by hand is. */
    enum ByHand {
        /** A statement that commits by itself. */
        STATEMENT,
        /** A transaction of one statement. */
        TRANSACTION,
        /** A transaction that also changes the balance of its account, so that deposits of one account have an order. */
        WITH_BALANCE
    }

    /**
     * Makes an empty bank by hand.
     *
     * @param connections how many transactions there may be at a time
     * @param deposit what each deposit is
     * @return the bank
     * @throws SQLException if the database fails
     */
    default DurableAccounts byHand(int connections, ByHand deposit) throws SQLException {
        return new HandAccounts(this, newBank(), connections, deposit);
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
