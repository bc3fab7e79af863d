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
 * parks leaves the queue empty. Therefore the thread parks here, and the timer thread unparks it a moment later. The
 * timer thread has a queue of its own for what it unparks and starts. At most as many of these threads run at a time as
 * there are carriers, since more would keep that queue from being empty. A thread that is blocked does not count, and
 * neither does one that was admitted very long ago: it may be in a call for which the JDK has added a carrier.
 *
 * <p>All state is confined to the timer thread, except for {@link Parked#mayGo}.
 */
final class CarrierHandoff implements Handoff {
    static final CarrierHandoff INSTANCE = new CarrierHandoff(SystemTime.INSTANCE,
            Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                    Runtime.getRuntime().availableProcessors()));

    /** The time between two looks at a thread that is about to park, or to end. */
    private static final long PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(10);
    /** The time between two looks at the threads that run, while others wait. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** A thread that has not come back after this long does not count any more. */
    private static final long LONG_AGO_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final TimeSource time;
    private final int carriers;
    private final Deque<Place> waiting = new ArrayDeque<>();
    private final Deque<Place> running = new ArrayDeque<>();
    private boolean checkPending;

    private abstract static class Place implements Ticket {
        final CarrierHandoff handoff;
        /** When the thread was admitted. */
        long admittedAt;

        Place(CarrierHandoff handoff) {
            this.handoff = handoff;
        }

        /** Returns the thread; null if it has not been started yet. */
        abstract @Nullable Thread thread();

        abstract void admit();

        /** Looks whether the thread has left its carrier, which then has come to other queues. */
        boolean hasLeft() {
            return true;
        }

        /** Tells whether the thread has a carrier or will get one. */
        final boolean counts(long now) {
            var runs = thread();
            return now - admittedAt <= LONG_AGO_NANOS && (runs == null || !Parking.isParked(runs));
        }

        @Override
        public final void end() {
            handoff.time.schedule(PARK_NANOS, new End(handoff, this));
        }
    }

    /** The place of a thread that has parked to give its carrier away. */
    private static final class Parked extends Place {
        private final Thread thread = Thread.currentThread();
        /** Set by the timer before it unparks. */
        private volatile boolean mayGo;
        private boolean wasParked;

        Parked(CarrierHandoff handoff) {
            super(handoff);
        }

        @Override
        Thread thread() {
            return thread;
        }

        /**
         * The thread has to be parked at two looks. If it has not parked yet, for want of a processor, a permit would let it
         * return without parking. If it has just parked, its carrier may have lost the processor to the timer thread, and would
         * find the thread in its queue again and not come to others. A thread that had too little stack to park may have ended.
         */
        @Override
        boolean hasLeft() {
            var before = wasParked;
            wasParked = thread.getState() != Thread.State.RUNNABLE;
            return before && wasParked;
        }

        @Override
        void admit() {
            mayGo = true;
            LockSupport.unpark(thread);
        }
    }

    /** The place of a thread that the timer thread starts. */
    private static final class Started extends Place {
        private final Runner runner;
        private final Runnable start;

        Started(CarrierHandoff handoff, Runner runner, Runnable start) {
            super(handoff);
            this.runner = runner;
            this.start = start;
        }

        /** What the runner has set a moment ago may not be seen yet: then the thread counts until the next look. */
        @Override
        @Nullable Thread thread() {
            return runner.thread;
        }

        @Override
        void admit() {
            start.run();
        }
    }

    CarrierHandoff(TimeSource time, int carriers) {
        this.time = time;
        this.carriers = carriers;
    }

    @Override
    public Ticket pass(@Nullable Ticket before) {
        var place = new Parked(this);
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

    @Override
    public void start(Runner runner, Runnable start) {
        var place = new Started(this, runner, start);
        runner.hold(place);
        time.schedule(PARK_NANOS, new Arrival(this, place, null));
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
            var thread = place instanceof Started ? place.thread() : null;
            if (thread != null && thread.isAlive()) {
                // It has not ended yet, since others have the processor. A thread that was started now would be in the
                // queue before the carrier has found this queue empty.
                handoff.time.schedule(PARK_NANOS, this);
                return;
            }
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
        if (waiting.isEmpty()) {
            return;
        }
        var now = time.nanoTime();
        for (var each = running.iterator(); each.hasNext();) {
            if (!each.next().counts(now)) {
                each.remove();
            }
        }
        while (running.size() < carriers && !waiting.isEmpty()) {
            var next = waiting.element();
            if (!next.hasLeft()) {
                time.schedule(PARK_NANOS, new Arrival(this, next, null));
                waiting.remove(); // last: without memory for the timer, the thread stays in the queue
                continue;
            }
            next.admittedAt = now;
            running.add(next);
            waiting.remove();
            next.admit();
        }
        if (!waiting.isEmpty() && !checkPending) {
            time.schedule(LOOK_NANOS, new Check(this));
            checkPending = true;
        }
    }
}
