package io.fibry.internal.clock;

import io.fibry.internal.log.Logs;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * All timers of a clock, and the one thread that runs them. The thread exists only while timers are set, and for a
 * short time after that.
 *
 * <p>The timers are spread over several heaps by the threads that set them, so that those threads seldom contend. The
 * timer thread checks the earliest timer of each heap.
 *
 * <p>The thread does not oversleep a timer. The thread first publishes until when it will sleep and then reads the
 * heaps once more. A thread that sets a timer first adds it to a heap and then reads until when the timer thread
 * sleeps. So one of the two sees the other. The same holds for the end of the thread: it first publishes that there is
 * no thread, and then reads the heaps once more.
 *
 * <p>Most timers are limits that are cancelled in time. Setting a timer and cancelling it wakes the thread only if the
 * timer is the earliest of all. The thread then sleeps until a time at which nothing happens, which does no harm.
 */
public final class TimerQueue {
    private static final Logger LOG = Logs.of("io.fibry.time");
    /** Nearly 146 years. The difference between any two times in the queue does not overflow then. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;
    private static final int MAX_HEAPS = 64;

    private final LongSupplier clock;
    private final ThreadFactory threads;
    private final long keepAliveNanos;
    private final TimerHeap[] heaps;
    private final Runnable work;
    private final AtomicReference<@Nullable Thread> worker = new AtomicReference<>();
    /** Until when the thread sleeps. Valid while {@link #sleeps}. */
    private volatile long sleepsUntil;
    private volatile boolean sleeps;

    TimerQueue(LongSupplier clock, ThreadFactory threads, long keepAliveNanos, int processors) {
        this.clock = clock;
        this.threads = threads;
        this.keepAliveNanos = keepAliveNanos;
        var count = 1;
        while (count < 2 * processors && count < MAX_HEAPS) {
            count *= 2;
        }
        heaps = new TimerHeap[count];
        work = this::work;
        for (int i = 0; i < count; i++) {
            heaps[i] = new TimerHeap(this::wakeIfEmpty);
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
        var thread = threads.newThread(work);
        if (!worker.compareAndSet(null, thread)) {
            return; // another thread was set, which has not read the heaps yet
        }
        var started = false;
        try {
            thread.start();
            started = true;
        } finally {
            if (!started) {
                worker.set(null); // the thread that sets the next timer tries again
                timer.cancel();
            }
        }
    }

    /**
     * Wakes the thread if all heaps are empty now: it has nothing to sleep for, and is to see that. This happens once:
     * from then on the thread sleeps for a short time only.
     */
    private void wakeIfEmpty() {
        var thread = worker.get();
        if (thread != null && sleeps && sleepsUntil - clock.getAsLong() > keepAliveNanos
                && earliest() == null) {
            LockSupport.unpark(thread);
        }
    }

    /** Tells whether this is the thread that runs the timers. */
    boolean firesOn(Thread thread) {
        return worker.get() == thread;
    }

    /** Returns the number of timers that are set. */
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
            var first = heap.first;
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
        Thread.interrupted(); // clears an interrupt by a task: with the flag set the thread would not sleep
        sleepsUntil = until;
        sleeps = true;
        var next = earliest();
        var nanos = until - clock.getAsLong();
        // Without a timer the thread stays for a short time only. The timer that it meant to sleep for may just have
        // been cancelled by a thread that did not see it sleep yet.
        if (next == null ? nanos <= keepAliveNanos : next.due - until >= 0) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeps = false;
    }
}
