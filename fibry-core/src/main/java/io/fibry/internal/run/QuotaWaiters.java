package io.fibry.internal.run;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Where senders wait for a place of a {@link Quota}, first come first served.
 *
 * <p>A sender joins the line and tries to take a place after that; who gives a place back does so and looks at the line
 * after that. So one of the two sees the other. A place that is given back wakes the first in the line, who stays there
 * until it has the place or gives up; who leaves, for whatever reason, wakes the next if there is still a place. So a
 * wake-up never dies with a sender that has given up.
 */
public final class QuotaWaiters {
    private final ConcurrentLinkedQueue<Waiter> queue = new ConcurrentLinkedQueue<>();

    /** An object of its own for each wait. */
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

    /** The current thread waits here in order to send to an actor. */
    public Waiter join(Object target) {
        var me = new Waiter(target, Thread.currentThread());
        queue.add(me);
        return me;
    }

    public void leave(Waiter me, Quota places) {
        queue.remove(me);
        // mutant: wake-up-for-a-place-is-not-passed-on
        if (places.hasRoom()) {
            wakeOne();
        }
    }

    void wakeOne() {
        var first = queue.peek();
        if (first != null) {
            first.wake();
        }
    }

    /** An actor has stopped: those who wait in order to send to it wait in vain. */
    public void wakeFor(Object target) {
        for (var waiter : queue) {
            if (waiter.target == target) {
                waiter.wake();
            }
        }
    }

    public void wakeAll() {
        queue.forEach(Waiter::wake);
    }
}
