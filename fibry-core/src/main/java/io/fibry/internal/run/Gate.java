package io.fibry.internal.run;

import io.fibry.internal.clock.Alarm;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.SystemNanos;
import io.fibry.time.TimeSource;
import java.util.concurrent.locks.LockSupport;

/**
 * A gate that opens once. Threads wait until it is open.
 *
 * <p>A waiter first joins the queue and then checks whether the gate is open. The opener first opens the gate and then
 * reads the queue. So one of the two sees the other, and no wake-up is lost. A waiter that gives up leaves the queue.
 *
 * <p>What follows from the opening may take the opener a moment. Threads can wait until it has finished that, too, by
 * the same argument.
 */
public final class Gate extends WaitingList<Gate.Waiter> {
    /** Set by the terminator, before it reads the waiting threads. */
    private volatile boolean open;
    /** Set by the terminator, before it reads the waiting threads. */
    private volatile boolean finished;

    /** One wait of one thread. */
    static final class Waiter {
        private final Thread thread = Thread.currentThread();
    }

    public void open() {
        open = true;
        assert Interleave.here();
        wakeAll();
    }

    /** Notes that the opener has done what follows from the opening. Called by the opener. */
    public void finish() {
        finished = true;
        assert Interleave.here();
        wakeAll();
    }

    @Override
    protected void wake(Waiter waiter) {
        LockSupport.unpark(waiter.thread);
    }

    public boolean isOpen() {
        return open;
    }

    public boolean isFinished() {
        return finished;
    }

    /** Waits until the gate is open; returns false if it did not open within the time. */
    public boolean await(TimeSource time, long nanos) throws InterruptedException {
        return open || await(false, time, nanos);
    }

    /** Waits until the opener has finished; returns false if it did not finish within the time. */
    public boolean awaitFinish(TimeSource time, long nanos) throws InterruptedException {
        return finished || await(true, time, nanos);
    }

    private boolean await(boolean forFinish, TimeSource time, long nanos)
            throws InterruptedException {
        var waiter = new Waiter();
        join(waiter);
        try {
            // A seeded schedule has to see that the wait ends by itself.
            if (nanos != Long.MAX_VALUE && time == SystemTime.INSTANCE
                    && (Parking.mayBeTimed() || Interleave.runsFibers())) {
                awaitTimed(forFinish, nanos);
            } else {
                awaitWithAlarm(forFinish, time, nanos);
            }
            return isReached(forFinish);
        } finally {
            leave(waiter);
        }
    }

    private void awaitWithAlarm(boolean forFinish, TimeSource time, long nanos) throws InterruptedException {
        try (var alarm = new Alarm(time, nanos)) {
            while (!isReached(forFinish) && !alarm.hasRung()) {
                throwIfInterrupted();
                Parking.park(this);
            }
        }
    }

    /** Waits without an alarm, so that the end of an actor which a program waits for starts no thread for timers. */
    private void awaitTimed(boolean forFinish, long nanos) throws InterruptedException {
        var begin = SystemNanos.now();
        for (var left = nanos; left > 0 && !isReached(forFinish); left =
                nanos - (SystemNanos.now() - begin)) {
            throwIfInterrupted();
            LockSupport.parkNanos(this, left);
        }
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private boolean isReached(boolean forFinish) {
        return forFinish ? finished : open;
    }

    /** Waits until the gate is open, also if the thread is interrupted, and restores the interrupt flag then. */
    public void awaitUninterrupted(TimeSource time) {
        new Opening(this, time).awaitUninterrupted();
    }

    private record Opening(Gate gate, TimeSource time) implements InterruptibleWait {
        @Override
        public boolean await() throws InterruptedException {
            return gate.await(time, Long.MAX_VALUE);
        }
    }
}
