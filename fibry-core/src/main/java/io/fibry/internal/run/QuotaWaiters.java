package io.fibry.internal.run;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait for a place of a {@link Quota}, in the order of their arrival.
 *
 * <p>A thread first joins the queue and then tries to take a place. A thread that gives a place back does so first and
 * then reads the queue. So one of the two sees the other. A place that is given back wakes the first thread in the
 * queue, which stays there until it has the place or gives up. A thread that leaves, for whatever reason, wakes the
 * next one if there is still a place. So no wake-up is lost with a thread that has given up.
 */
public final class QuotaWaiters {
    /** A sender joins and then tries to take a place; a thread gives a place back and then reads the queue. */
    private final ConcurrentLinkedQueue<Waiter> queue = new ConcurrentLinkedQueue<>();

    /**
     * One wait of one thread.
     *
     * @param target the owner that the thread waits to send to
     * @param thread the thread
     */
    public record Waiter(Object target, Thread thread) {
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        private void wake() {
            LockSupport.unpark(thread);
        }
    }

    /** Adds the calling thread, which waits in order to send to an owner. */
    public Waiter join(Object target) {
        var waiter = new Waiter(target, Thread.currentThread());
        queue.add(waiter);
        return waiter;
    }

    public void leave(Waiter waiter, Quota places) {
        queue.remove(waiter);
        // mutant: wake-up-for-a-place-is-not-passed-on
        if (places.hasRoom()) {
            wakeOne();
        }
    }

    /** Returns how many threads wait. An estimate. Called by any thread. */
    public int size() {
        return queue.size();
    }

    void wakeOne() {
        var first = queue.peek();
        if (first != null) {
            first.wake();
        }
    }

    /** Wakes the threads that wait in order to send to an owner that has stopped: they wait in vain. */
    public void wakeFor(Object target) {
        for (var waiter : queue) {
            if (waiter.target == target) {
                waiter.wake();
            }
        }
    }

    public void wakeAll() {
        for (var waiter : queue) {
            waiter.wake();
        }
    }
}
