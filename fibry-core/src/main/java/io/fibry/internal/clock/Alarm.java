package io.fibry.internal.clock;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Wakes a parked thread when its time is over. With an alarm a wait has a limit although the park has none. */
public final class Alarm implements AutoCloseable {
    private static final int RUNG = 1;
    private static final int CLOSED = 2;
    private static final VarHandle HEARD =
            FieldAccess.of(MethodHandles.lookup(), "heard", int.class);
    /** The number of alarms that a time source moved by hand has made ring, and whose threads have not gone on yet. */
    private static final AtomicInteger UNHEARD = new AtomicInteger();

    private static final Cancellable NO_TIMER = () -> false;

    private final Thread sleeper = Thread.currentThread();
    private final Cancellable timer;
    /** Set by the timer before it unparks; read before each park. */
    private volatile boolean rung;
    /**
     * Used with a time source that is moved by hand only: whether this alarm has rung, and whether its thread
     * has gone on. Written by the timer, by CAS, and by the sleeper, by an exchange.
     */
    private volatile int heard;

    /** Creates an alarm for the calling thread. With {@code Long.MAX_VALUE} it never rings. */
    public Alarm(TimeSource time, long nanos) {
        if (nanos == Long.MAX_VALUE) {
            timer = NO_TIMER;
        } else if (nanos <= 0) {
            rung = true;
            timer = NO_TIMER;
        } else {
            timer = time.schedule(nanos, new Ringing(this, time != SystemTime.INSTANCE));
        }
    }

    private record Ringing(Alarm alarm, boolean byHand) implements Runnable {
        @Override
        public void run() {
            if (byHand) {
                alarm.ringByHand();
            } else {
                alarm.ring();
            }
        }
    }

    private void ring() {
        rung = true;
        LockSupport.unpark(sleeper);
    }

    private void ringByHand() {
        UNHEARD.incrementAndGet();
        if (!HEARD.compareAndSet(this, 0, RUNG)) {
            UNHEARD.decrementAndGet();
        }
        ring();
    }

    /** Tells whether all threads that a time source moved by hand has woken have gone on. */
    public static boolean allHeard() {
        return UNHEARD.get() == 0;
    }

    public boolean hasRung() {
        return rung;
    }

    @Override
    public void close() {
        if (timer != NO_TIMER && !timer.cancel() && (int) HEARD.getAndSet(this, CLOSED) == RUNG) {
            UNHEARD.decrementAndGet();
        }
    }
}
