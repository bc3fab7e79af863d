package io.fibry.bench.bank;

import java.util.concurrent.ExecutionException;

/** Accounts, and a way to transfer money from one to another. Thread-safe. */
public interface MeasuredBank extends AutoCloseable {
    /** Makes a bank with the given number of accounts. */
    @FunctionalInterface
    interface Opening {
        /**
         * Makes a bank.
         *
         * @param accounts the number of accounts
         * @return the bank
         */
        MeasuredBank open(int accounts);
    }

    /**
     * Transfers money, and waits for the end of the transfer.
     *
     * @param from the number of the account that pays
     * @param to the number of another account, which receives
     * @param cents how much
     * @return true if the transfer was made; false if it was refused, since it would have waited for itself
     * @throws ExecutionException if the transfer failed
     * @throws InterruptedException if the calling thread was interrupted
     */
    boolean transfer(int from, int to, long cents) throws ExecutionException, InterruptedException;

    /**
     * Returns what has changed in all accounts. Called when no transfer is in progress.
     *
     * @return the sums
     * @throws ExecutionException if an account does not answer
     * @throws InterruptedException if the calling thread was interrupted
     */
    Books books() throws ExecutionException, InterruptedException;

    @Override
    void close();
}
