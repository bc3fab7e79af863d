package io.fibry.flow;

/** What makes the values of one subscription. */
interface ValueOrigin<T> {
    /** Returns the values. */
    Supply<T> supply();

    /** Begins to make values. */
    void start() throws Exception;

    /** Ends the values by a failure. */
    void fail(Throwable failure);
}
