package io.fibry.internal.run;

import io.fibry.internal.clock.Alarm;
import io.fibry.internal.memory.Interleave;
import io.fibry.time.TimeSource;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Opens once, and lets all who wait for that go on.
 *
 * <p>A waiter queues up, then looks whether the gate is open; the opener opens it, then looks at the queue. So
 * one of the two sees the other. A waiter that gives up leaves nothing behind.
 */
public final class Gate {
    private final ConcurrentLinkedQueue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private volatile boolean open;

    /** An object of its own for each wait. */
    private static final class Waiter {
        final Thread thread = Thread.currentThread();
    }

    public void open() {
        open = true;
        Interleave.here();
        // mutant: waiters-are-not-woken-by-the-end
        waiters.forEach(waiter -> LockSupport.unpark(waiter.thread));
    }

    public boolean isOpen() {
        return open;
    }

    /** Waits for the opening; false if it took too long. */
    public boolean await(TimeSource time, long nanos) throws InterruptedException {
        if (open) {
            return true;
        }
        var waiter = new Waiter();
        waiters.add(waiter);
        try (var alarm = new Alarm(time, nanos)) {
            while (!open && !alarm.hasRung()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Parking.park(this);
            }
            return open;
        } finally {
            waiters.remove(waiter);
        }
    }

    /** Waits for the opening, also while the thread is interrupted, and keeps its flag. */
    public void awaitUninterrupted(TimeSource time) {
        var interrupted = false;
        while (true) {
            try {
                await(time, Long.MAX_VALUE);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
