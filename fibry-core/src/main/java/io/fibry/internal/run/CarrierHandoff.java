package io.fibry.internal.run;

import io.fibry.internal.clock.SystemTime;
import io.fibry.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets a virtual thread give its carrier away.
 *
 * <p>{@link Thread#yield} does not do that. A carrier takes tasks from one queue until that queue is empty, and a
 * thread that yields goes back to that queue, so threads that were submitted elsewhere may never run. A thread that
 * parks leaves the queue empty. Therefore the thread parks here, and the timer thread unparks it a moment later. At
 * most as many of these threads run at a time as there are carriers, since more would fill a queue among themselves. A
 * thread that was admitted long ago is taken to be blocked and does not count.
 *
 * <p>All state is confined to the timer thread, except for {@link Place#mayGo}.
 */
final class CarrierHandoff implements Handoff {
    static final CarrierHandoff INSTANCE = new CarrierHandoff(SystemTime.INSTANCE,
            Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                    Runtime.getRuntime().availableProcessors()));

    /** The time after which a thread is taken to be parked. It is long enough to park before the unpark comes. */
    private static final long PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(10);
    private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final TimeSource time;
    private final int carriers;
    private final Deque<Place> waiting = new ArrayDeque<>();
    private final Deque<Place> running = new ArrayDeque<>();
    private boolean checkPending;

    private final class Place implements Ticket {
        private final Thread thread = Thread.currentThread();
        private volatile boolean mayGo;
        /** When the thread was admitted. Confined to the timer thread. */
        private long admittedAt;

        @Override
        public void end() {
            time.schedule(0, new End(CarrierHandoff.this, this));
        }
    }

    private CarrierHandoff(TimeSource time, int carriers) {
        this.time = time;
        this.carriers = carriers;
    }

    @Override
    public Ticket pass(@Nullable Ticket before) {
        var place = new Place();
        time.schedule(PARK_NANOS, new Arrival(this, place, before));
        var interrupted = false;
        while (!place.mayGo) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return place;
    }

    private void arrive(Place place, @Nullable Ticket before) {
        if (before != null) {
            running.remove(before);
        }
        waiting.add(place);
        admitWaiting();
    }

    private record Arrival(CarrierHandoff handoff, Place place, @Nullable Ticket before)
            implements
                Runnable {
        @Override
        public void run() {
            handoff.arrive(place, before);
        }
    }

    private record End(CarrierHandoff handoff, Place place) implements Runnable {
        @Override
        public void run() {
            handoff.running.remove(place);
            handoff.admitWaiting();
        }
    }

    private record Check(CarrierHandoff handoff) implements Runnable {
        @Override
        public void run() {
            handoff.checkPending = false;
            handoff.admitWaiting();
        }
    }

    private void admitWaiting() {
        var now = time.nanoTime();
        for (var each = running.iterator(); each.hasNext();) {
            if (now - each.next().admittedAt > BLOCKED_NANOS) {
                each.remove();
            }
        }
        while (running.size() < carriers && !waiting.isEmpty()) {
            var next = waiting.element();
            if (next.thread.getState() == Thread.State.RUNNABLE) {
                // The thread has not parked yet, since others have the processor. A permit now would let it return
                // without parking.
                time.schedule(PARK_NANOS, new Arrival(this, next, null));
                waiting.remove(); // last: without memory for the timer, the thread stays in the queue
                continue;
            }
            next.admittedAt = now;
            running.add(next);
            waiting.remove();
            next.mayGo = true;
            LockSupport.unpark(next.thread);
        }
        if (!waiting.isEmpty() && !checkPending) {
            checkPending = true;
            time.schedule(BLOCKED_NANOS, new Check(this));
        }
    }
}
