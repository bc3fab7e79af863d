package io.fibry.cluster;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** The moment when a node begins to leave: what is shared before it is handed over, and nothing is shared after it. All threads may use it. */
final class BeginOfLeave {
    private final AtomicBoolean isBegun = new AtomicBoolean();
    /** Threads that share read; the thread that begins to leave writes. So each group is handed over, or refused. */
    private final ReadWriteLock sharing = new ReentrantReadWriteLock();

    boolean isBegun() {
        return isBegun.get();
    }

    /** Runs code that shares something. No leave begins while it runs, so it must not leave itself. */
    <T> T before(Supplier<T> shares) {
        sharing.readLock().lock();
        try {
            return shares.get();
        } finally {
            sharing.readLock().unlock();
        }
    }

    /** Waits for threads that share something, and begins to leave; returns false if a leave has begun before. */
    boolean begin() {
        sharing.writeLock().lock();
        try {
            return isBegun.compareAndSet(false, true);
        } finally {
            sharing.writeLock().unlock();
        }
    }
}
