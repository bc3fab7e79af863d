package io.fibry.internal.run;

import io.fibry.internal.clock.SystemTime;
import io.fibry.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets a virtual thread give its carrier away for real.
 *
 * <p>{@link Thread#yield} does not: a carrier stays with the queue it took its last task from until that is
 * empty, and a thread that yields goes right back there, so threads that were submitted elsewhere may never
 * run. A thread that parks leaves the queue empty. Here it parks, and the timer thread unparks it a moment
 * later. No more of those that came here are let go on at one time than there are carriers, or they would
 * fill a queue among themselves; one that has been away for long is blocked and does not count.
 *
 * <p>All state is the timer thread's own, but for what is in a {@link Ticket}.
 */
final class CarrierHandoff {
    static final CarrierHandoff INSTANCE = new CarrierHandoff(SystemTime.INSTANCE,
            Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                    Runtime.getRuntime().availableProcessors()));

    /** Time enough to park, before the unpark comes. */
    private static final long MOMENT_NANOS = TimeUnit.MICROSECONDS.toNanos(10);
    private static final long AWAY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final TimeSource time;
    private final int carriers;
    private final Deque<Ticket> waiting = new ArrayDeque<>();
    private final Deque<Ticket> going = new ArrayDeque<>();
    private boolean checkPending;

    /** One thread's turn to go on. */
    static final class Ticket {
        private final Thread thread = Thread.currentThread();
        private volatile boolean goes;
        /** When it was let go; the timer thread's. */
        private long since;
    }

    private CarrierHandoff(TimeSource time, int carriers) {
        this.time = time;
        this.carriers = carriers;
    }

    /**
     * Gives the current virtual thread's carrier away.
     *
     * @param before what the thread got when it was here last, if it was
     * @return what to bring along the next time, or to {@link #end}
     */
    Ticket pass(@Nullable Ticket before) {
        var ticket = new Ticket();
        time.schedule(MOMENT_NANOS, () -> arrives(ticket, before));
        var interrupted = false;
        while (!ticket.goes) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return ticket;
    }

    /** The thread does something else now. */
    void end(Ticket ticket) {
        time.schedule(0, () -> {
            going.remove(ticket);
            letGo();
        });
    }

    private void arrives(Ticket ticket, @Nullable Ticket before) {
        if (before != null) {
            going.remove(before);
        }
        waiting.add(ticket);
        letGo();
    }

    private void letGo() {
        var now = time.nanoTime();
        going.removeIf(ticket -> now - ticket.since > AWAY_NANOS);
        while (going.size() < carriers && !waiting.isEmpty()) {
            var next = waiting.remove();
            if (next.thread.getState() == Thread.State.RUNNABLE) {
                // It has not come to park yet, since others have the processor. A permit now would spare it that.
                time.schedule(MOMENT_NANOS, () -> arrives(next, null));
                continue;
            }
            next.since = now;
            going.add(next);
            next.goes = true;
            LockSupport.unpark(next.thread);
        }
        if (!waiting.isEmpty() && !checkPending) {
            checkPending = true;
            time.schedule(AWAY_NANOS, () -> {
                checkPending = false;
                letGo();
            });
        }
    }
}
