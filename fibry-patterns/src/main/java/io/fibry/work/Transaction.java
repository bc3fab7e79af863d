package io.fibry.work;

/**
 * A transaction, as its code sees it. It is used on the thread of the code and while that runs.
 *
 * @param <S> type of the state
 */
public interface Transaction<S> {
    /**
     * Returns the copy of the state that belongs to this transaction.
     *
     * @return the copy
     */
    S state();

    /**
     * Replaces the copy, for states that are not changed but replaced.
     *
     * @param state the new state
     */
    void replace(S state);

    /** Lets the transaction end without any effect when its code returns. */
    void rollBack();
}
