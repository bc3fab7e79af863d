package io.fibry;

/** A strategy that is a pool of platform threads. It need not be closed, because idle threads end by themselves. */
public interface PoolStrategy extends CreationStrategy, AutoCloseable {
    /**
     * Closes the pool: it takes no more turns, and the call waits for the turns that run. Later messages to its actors
     * are undelivered. The actors can still be stopped.
     */
    @Override
    void close();
}
