package io.fibry;

/** A pool of platform threads as a strategy. It need not be closed: idle threads end by themselves. */
public interface PoolStrategy extends CreationStrategy, AutoCloseable {
    /**
     * Takes no more turns, and waits for those that run. Messages to its actors are undelivered from then
     * on; their stop still works.
     */
    @Override
    void close();
}
