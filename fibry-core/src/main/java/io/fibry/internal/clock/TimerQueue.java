package io.fibry.internal.clock;

import io.fibry.internal.log.Logs;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * All timers of a clock, and the one thread that runs them, which is there only while timers are set, and a little
 * longer.
 *
 * <p>Threads that set timers are spread over some heaps, so that they seldom meet. The timer thread looks at
 * the earliest of each.
 *
 * <p>No timer is overslept: the thread says until when it will sleep and then looks at the heaps once more; who sets a
 * timer puts it in a heap and then looks until when the thread sleeps. So one of the two sees the other.
 * The same holds for the thread's end: it says that there is none, then looks once more.
 *
 * <p>Most timers are limits that are cancelled in time. Setting one and cancelling it wakes the thread only if it is
 * the earliest of all: it then sleeps until a time at which nothing happens, which does no harm.
 */
public final class TimerQueue {
    private static final Logger LOG = Logs.of("io.fibry.time");
    /** Nearly 146 years. The difference of any two times in the queue is then no overflow. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;
    private static final int MOST_HEAPS = 64;

    private final LongSupplier clock;
    private final ThreadFactory threads;
    private final long keepAliveNanos;
    private final TimerHeap[] heaps;
    private final AtomicReference<@Nullable Thread> worker = new AtomicReference<>();
    /** Until when the thread sleeps; of meaning while it does. */
    private volatile long sleepsUntil;
    private volatile boolean sleeps;

    TimerQueue(LongSupplier clock, ThreadFactory threads, long keepAliveNanos, int processors) {
        this.clock = clock;
        this.threads = threads;
        this.keepAliveNanos = keepAliveNanos;
        var count = 1;
        while (count < 2 * processors && count < MOST_HEAPS) {
            count *= 2;
        }
        heaps = new TimerHeap[count];
        for (int i = 0; i < count; i++) {
            heaps[i] = new TimerHeap(this::emptied);
        }
    }

    PendingTimer schedule(long delayNanos, Runnable task) {
        var delay = Math.max(0, Math.min(delayNanos, LONGEST_NANOS));
        var heap = heaps[(int) Thread.currentThread().threadId() & (heaps.length - 1)];
        var timer = new PendingTimer(heap, clock.getAsLong() + delay, task);
        var isEarliest = heap.add(timer);
        var thread = worker.get();
        if (thread == null) {
            startFor(timer);
        } else if (isEarliest && sleeps && timer.due - sleepsUntil < 0) {
            LockSupport.unpark(thread);
        }
        return timer;
    }

    private void startFor(PendingTimer timer) {
        var thread = threads.newThread(this::work);
        if (!worker.compareAndSet(null, thread)) {
            return; // somebody else's, which has not looked at the heaps yet
        }
        var started = false;
        try {
            thread.start();
            started = true;
        } finally {
            if (!started) {
                worker.set(null); // whoever sets the next timer tries again
                timer.cancel();
            }
        }
    }

    /**
     * A heap is empty. If all are, the thread has nothing to sleep for, and is woken to see that. That is once: from
     * then on it sleeps for a short time only.
     */
    private void emptied() {
        var thread = worker.get();
        if (thread != null && sleeps && sleepsUntil - clock.getAsLong() > keepAliveNanos
                && earliest() == null) {
            LockSupport.unpark(thread);
        }
    }

    /** Whether that is its thread. */
    boolean firesOn(Thread thread) {
        return worker.get() == thread;
    }

    /** How many timers are set. */
    int pending() {
        var count = 0;
        for (var heap : heaps) {
            count += heap.size();
        }
        return count;
    }

    private @Nullable PendingTimer earliest() {
        PendingTimer earliest = null;
        for (var heap : heaps) {
            var first = heap.first();
            if (first != null && (earliest == null || first.due - earliest.due < 0)) {
                earliest = first;
            }
        }
        return earliest;
    }

    // ---- The thread. ----

    private void work() {
        var end = clock.getAsLong() + keepAliveNanos;
        while (true) {
            var next = earliest();
            var now = clock.getAsLong();
            if (next != null) {
                end = now + keepAliveNanos;
                var task = next.home.takeDue(now);
                if (task != null) {
                    run(task);
                } else if (next.due - now > 0) {
                    sleep(next.due);
                }
            } else if (end - now > 0) {
                sleep(end);
            } else {
                worker.set(null);
                if (earliest() == null || !worker.compareAndSet(null, Thread.currentThread())) {
                    return;
                }
            }
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            LOG.error("the task of a timer failed; the timers go on", failure);
        }
    }

    private void sleep(long until) {
        Thread.interrupted(); // by a task: with the flag set there would be no sleep
        sleepsUntil = until;
        sleeps = true;
        var next = earliest();
        var nanos = until - clock.getAsLong();
        // Without a timer it stays for a short time only: the one it meant to sleep for may just have been cancelled, by
        // somebody who did not see it sleep yet.
        if (next == null ? nanos <= keepAliveNanos : next.due - until >= 0) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeps = false;
    }
}
