package io.fibry.internal.clock;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Wakes a parked thread when its time is over: with it a wait has a limit without a timed park. */
public final class Alarm implements AutoCloseable {
    private static final int RUNG = 1;
    private static final int CLOSED = 2;
    private static final VarHandle HEARD =
            FieldAccess.of(MethodHandles.lookup(), "heard", int.class);
    /** How many have rung by a time that is moved by hand, while their sleepers have not gone on. */
    private static final AtomicInteger UNHEARD = new AtomicInteger();

    private final Thread sleeper = Thread.currentThread();
    private final Cancellable timer;
    private volatile boolean rung;
    /** Of a time that is moved by hand: whether it has rung, and whether the sleeper goes on. */
    private volatile int heard;

    /** An alarm for the current thread; {@code Long.MAX_VALUE} never rings. */
    public Alarm(TimeSource time, long nanos) {
        if (nanos == Long.MAX_VALUE) {
            timer = () -> false;
        } else if (nanos <= 0) {
            rung = true;
            timer = () -> false;
        } else {
            timer = time.schedule(nanos, time == SystemTime.INSTANCE ? this::ring : this::ringByHand);
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

    /** Whether all that were woken by a time that is moved by hand have gone on. */
    public static boolean allHeard() {
        return UNHEARD.get() == 0;
    }

    public boolean hasRung() {
        return rung;
    }

    @Override
    public void close() {
        if (!timer.cancel() && (int) HEARD.getAndSet(this, CLOSED) == RUNG) {
            UNHEARD.decrementAndGet();
        }
    }
}
