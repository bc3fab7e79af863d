package io.fibry.work;

import org.jspecify.annotations.Nullable;

/**
 * The code of a transaction.
 *
 * @param <S> type of the state
 * @param <T> type of the result
 */
@FunctionalInterface
public interface TransactionCode<S, T extends @Nullable Object> {
    /**
     * Runs in the transaction.
     *
     * @param transaction has a copy of the state
     * @return the result
     * @throws Exception if the transaction fails: the state stays as it was
     */
    T run(Transaction<S> transaction) throws Exception;
}
