package io.fibry.bench.durable;

import java.sql.SQLException;

/** Accounts that answer a deposit when it is in a store. Thread-safe. */
public interface DurableAccounts extends AutoCloseable {
    /** The size of what is written for each deposit, about. */
    int BYTES = 64;

    /**
     * Pays something into an account. Returns when it is durable.
     *
     * @param account the account
     * @throws Exception if it may not be durable
     */
    void deposit(long account) throws Exception;

    /**
     * Counts the deposits that are in the store. Called when no deposit is under way.
     *
     * @return the number
     * @throws Exception if the store cannot be read
     */
    long deposits() throws Exception;

    @Override
    void close() throws SQLException;
}
