package io.fibry.flow;

import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of a subscription one after another, as rule 2.7 of Reactive Streams requires, from whatever threads they
 * come. A thread that finds another one in a call leaves its own to it, so a publisher that answers inside the call causes no
 * recursion. No lock is held in a call. Everything is guarded by the lock.
 */
final class Demand {
    private final ReentrantLock lock = new ReentrantLock();
    private Flow.@Nullable Subscription subscription;
    private long wanted;
    private boolean cancelled;
    private boolean calling;

    /** Sets the subscription; false if there was one, or if it was cancelled before. */
    boolean begin(Flow.Subscription made) {
        lock.lock();
        try {
            if (subscription != null || cancelled) {
                return false;
            }
            subscription = made;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void request(long n) {
        lock.lock();
        try {
            wanted += n;
        } finally {
            lock.unlock();
        }
        call();
    }

    void cancel() {
        lock.lock();
        try {
            cancelled = true;
        } finally {
            lock.unlock();
        }
        call();
    }

    /** Forgets the subscription, which has ended. */
    void end() {
        lock.lock();
        try {
            cancelled = true;
            subscription = null;
        } finally {
            lock.unlock();
        }
    }

    /** Makes the calls that are due. If one throws, the others are made nevertheless. */
    private void call() {
        try {
            while (callOnce()) {
                // Another call may have become due in the meantime.
            }
        } catch (Throwable thrown) {
            try {
                call();
            } catch (Throwable next) {
                Failures.add(thrown, next);
            }
            throw thrown;
        }
    }

    private boolean callOnce() {
        Flow.Subscription target;
        long n;
        lock.lock();
        try {
            if (calling || subscription == null || (wanted == 0 && !cancelled)) {
                return false;
            }
            calling = true;
            target = subscription;
            n = cancelled ? 0 : wanted;
            wanted = 0;
            if (cancelled) {
                subscription = null;
            }
        } finally {
            lock.unlock();
        }
        try {
            if (n == 0) {
                target.cancel();
            } else {
                target.request(n);
            }
        } finally {
            lock.lock();
            try {
                calling = false;
            } finally {
                lock.unlock();
            }
        }
        return true;
    }
}
