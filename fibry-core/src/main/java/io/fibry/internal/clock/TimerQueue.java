package io.fibry.internal.clock;

import io.fibry.internal.log.LastResort;
import io.fibry.internal.log.Logs;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.SystemNanos;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * All timers and time limits of a clock, and the one thread that runs them. The thread exists only while timers or limits
 * are set, and for a short time after that.
 *
 * <p>The timers are spread over several heaps by the threads that set them, so that those threads seldom contend. The
 * timer thread checks the earliest timer of each heap. The limits of asks are far more, and most of them are cancelled
 * soon; they are in {@link NewLimits} and, if they last, in a {@link LimitWheel}. A timer that is due comes before
 * limits.
 *
 * <p>The thread does not oversleep a timer or limit. The thread first publishes until when it will sleep and then reads
 * the heaps and the new limits once more. A thread that sets a timer or limit first adds it and then reads until when the
 * timer thread sleeps. So one of the two sees the other. The same holds for the end of the thread: it first publishes
 * that there is no thread, and then reads the heaps and the new limits once more.
 *
 * <p>The thread does not stay for what was cancelled. A thread that cancels the last timer wakes it. A thread that cancels
 * a limit mostly does not look at the timer thread. Therefore, before the timer thread sleeps for limits alone and for
 * longer than the short time for which it stays anyway, it chooses one limit that is set, which it watches: its
 * cancellation wakes the thread, which then stays for that short time before it watches another one.
 *
 * <p>Setting a timer or limit wakes the thread only if that is earlier than the time until which the thread sleeps. A thread
 * that has found new limits sleeps for the short time only, because more of them are likely to come: limits that are
 * cancelled at once do not wake the thread each time.
 */
public final class TimerQueue {
    private static final Logger LOG = Logs.of("io.fibry.time");
    /** Nearly 146 years. The difference between any two times in the queue does not overflow then. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;
    private static final int MAX_HEAPS = 64;
    /** How long the thread rests after a failure, which may come again at once. */
    private static final long PAUSE_NANOS = 1_000_000;
    /** The shortest time between two lines in the log about such failures. */
    private static final long REPORT_NANOS = 1_000_000_000;

    /** A timer that fires later than this is late. The system wakes threads with delays of a few milliseconds at most. */
    private static final long LATE_NANOS = 20_000_000;

    private final LongSupplier clock;
    private final ThreadFactory threads;
    private final long keepAliveNanos;
    private final LongConsumer sleeper;
    private final TimerHeap[] heaps;
    private final Runnable work;
    private final NewLimits newLimits;
    /** Accessed by the timer thread only. */
    private final LimitWheel wheel;
    /**
     * Set by the thread that starts the timer thread, by CAS; cleared by the timer thread, which then looks
     * once more.
     */
    private final AtomicReference<@Nullable Thread> worker = new AtomicReference<>();
    /**
     * Until when the thread sleeps. Valid while {@link #sleeps}. Written by the timer thread, which then reads
     * the heaps once more.
     */
    private volatile long sleepsUntil;
    /**
     * Whether the thread sleeps for limits alone, and watches one of them. Valid while {@link #sleeps}. Written
     * by the timer thread.
     */
    private volatile boolean watches;
    /** Written by the timer thread, after {@link #sleepsUntil}, which then reads the heaps once more. */
    private volatile boolean sleeps;

    /** Hears of late timers; null if nobody asked for that. Set once, by the thread that loads the events of recordings. */
    private volatile @Nullable LateTimers lateTimers;

    // Accessed by the timer thread only.
    private long reportedAt;
    private boolean hasReported;
    /** How many of its failures were not logged. */
    private long unreported;

    TimerQueue(LongSupplier clock, ThreadFactory threads, long keepAliveNanos, int processors) {
        this(clock, threads, keepAliveNanos, processors,
                nanos -> LockSupport.parkNanos(TimerQueue.class, nanos));
    }

    /** Creates a queue whose thread parks by this {@code sleeper}, for at most so many nanoseconds. */
    TimerQueue(LongSupplier clock, ThreadFactory threads, long keepAliveNanos, int processors,
            LongConsumer sleeper) {
        this.clock = clock;
        this.threads = threads;
        this.keepAliveNanos = keepAliveNanos;
        this.sleeper = sleeper;
        var count = 1;
        while (count < 2 * processors && count < MAX_HEAPS) {
            count *= 2;
        }
        heaps = new TimerHeap[count];
        work = this::runToTheEnd;
        for (int i = 0; i < count; i++) {
            heaps[i] = new TimerHeap(this::wakeIfEmpty);
        }
        newLimits = new NewLimits(count);
        wheel = new LimitWheel(newLimits, clock.getAsLong());
    }

    PendingTimer schedule(long delayNanos, Runnable task) {
        var delay = Math.max(0, Math.min(delayNanos, LONGEST_NANOS));
        var heap = heaps[(int) Thread.currentThread().threadId() & (heaps.length - 1)];
        var timer = new PendingTimer(heap, clock.getAsLong() + delay, task);
        var isEarliest = heap.add(timer);
        var started = false;
        try {
            var thread = worker.get();
            if (thread == null) {
                startThread();
            } else if (isEarliest && sleeps && timer.due - sleepsUntil < 0) {
                LockSupport.unpark(thread);
            }
            started = true;
        } finally {
            if (!started) {
                timer.cancel();
            }
        }
        return timer;
    }

    /** Sets a limit. If this throws, no limit is set. */
    Limit limit(Limited limited) {
        var limit = new Limit(limited);
        var areMany = newLimits.add(limit);
        var started = false;
        try {
            var thread = worker.get();
            if (thread == null) {
                startThread();
            } else if (sleeps && (areMany || limited.due() - sleepsUntil < 0)) {
                LockSupport.unpark(thread);
            }
            started = true;
        } finally {
            if (!started) {
                cancel(limit);
            }
        }
        return limit;
    }

    /** Cancels a limit; returns false if its time was over, or if it was cancelled before. */
    boolean cancel(Limit limit) {
        if (limit.take() == null) {
            return false;
        }
        assert newLimits.count(-1) && Interleave.here();
        // mutant: cancelled-limit-keeps-the-timer-thread
        if (limit.isWatched()) {
            var thread = worker.get();
            if (thread != null) {
                LockSupport.unpark(thread);
            }
        }
        return true;
    }

    /**
     * Starts the thread, unless another caller does: the thread of that caller has then not yet read the heaps and
     * the new limits.
     */
    private void startThread() {
        var thread = threads.newThread(work);
        if (!worker.compareAndSet(null, thread)) {
            return;
        }
        var started = false;
        try {
            thread.start();
            started = true;
        } finally {
            if (!started) {
                worker.set(null); // the thread that sets the next timer tries again
            }
        }
    }

    /**
     * Wakes the thread if all heaps are empty now: it has nothing to sleep for, and is to see that. This happens once:
     * from then on the thread sleeps for a short time only, or watches a limit.
     */
    private void wakeIfEmpty() {
        var thread = worker.get();
        if (thread != null && sleeps && !watches && sleepsUntil - clock.getAsLong() > keepAliveNanos
                && earliest() == null) {
            LockSupport.unpark(thread);
        }
    }

    /** Tells whether this is the thread that runs the timers. */
    boolean firesOn(Thread thread) {
        return worker.get() == thread;
    }

    /** Returns the number of timers that are set, and of limits if assertions are on. */
    int pending() {
        var count = newLimits.set();
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

    /** Goes on after a failure: without this thread no timer of the clock would ring any more. */
    private void runToTheEnd() {
        while (true) {
            try {
                work();
                return;
            } catch (Throwable failure) {
                sleeps = false;
                if (worker.get() != Thread.currentThread()
                        && !worker.compareAndSet(null, Thread.currentThread())) {
                    return; // there is another thread by now
                }
                reportAtTimes(failure);
                rest();
            }
        }
    }

    private void rest() {
        try {
            sleeper.accept(PAUSE_NANOS);
        } catch (Throwable failure) {
            reportAtTimes(failure);
            Thread.yield();
        }
    }

    /** Logs a failure of the thread, unless it has logged one a moment ago. Does not ask the clock, which may be what fails. */
    private void reportAtTimes(Throwable failure) {
        var now = SystemNanos.now();
        if (hasReported && now - reportedAt < REPORT_NANOS) {
            unreported++;
            return;
        }
        hasReported = true;
        reportedAt = now;
        try {
            report(unreported == 0 ? "the timer thread has met a failure; the timers go on"
                    : "the timer thread has met a failure, and " + unreported
                            + " before that were not logged; the timers go on",
                    failure);
            unreported = 0;
        } catch (OutOfMemoryError noMemory) {
            unreported++;
        }
    }

    private void work() {
        var start = clock.getAsLong();
        var end = start + keepAliveNanos;
        var quiet = start; // until then the thread does not sleep for long, so that quick asks need not wake it
        wheel.lookAtNew();
        while (true) {
            var next = earliest();
            var now = clock.getAsLong();
            var task = next == null ? null : next.home.takeDue(now);
            if (next != null && task != null) {
                if (now - next.due > LATE_NANOS) {
                    tellLate(task, now - next.due);
                }
                run(task);
                wheel.lookAtNew();
            }
            if (wheel.step(now)) {
                quiet = now + keepAliveNanos;
                end = quiet;
            } else if (next != null) {
                end = now + keepAliveNanos;
            }
            if (task != null || !wheel.isIdle()) {
                continue;
            }
            var limitDue = wheel.isEmpty() ? now + LONGEST_NANOS : wheel.next();
            if (next != null) {
                var until = earlier(next.due, limitDue);
                sleep(quiet - now > 0 ? earlier(quiet, until) : until, false);
            } else if (end - now > 0) {
                sleep(earlier(end, limitDue), false);
            } else if (!wheel.isEmpty()) {
                if (wheel.watch()) {
                    sleep(limitDue, true);
                    end = clock.getAsLong() + keepAliveNanos;
                }
            } else {
                assert Interleave.here();
                worker.set(null);
                assert Interleave.here();
                // mutant: timer-thread-ends-past-a-new-limit
                if ((earliest() == null && newLimits.isEmpty())
                        || !worker.compareAndSet(null, Thread.currentThread())) {
                    return;
                }
                end = clock.getAsLong() + keepAliveNanos;
                wheel.lookAtNew();
            }
        }
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }

    private void tellLate(Runnable task, long nanos) {
        var told = lateTimers;
        if (told != null) {
            try {
                told.late(task, nanos);
            } catch (Throwable failure) {
                report("a late timer could not be recorded; the timers go on", failure);
            }
        }
    }

    /** Sets what is told of late timers. */
    void tell(LateTimers told) {
        lateTimers = told;
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            report("the task of a timer failed; the timers go on", failure);
        }
    }

    /** Logs a failure. The timer thread goes on even if that fails as well. */
    static void report(String what, Throwable failure) {
        try {
            LOG.error(what, failure);
        } catch (Throwable suppressed) {
            LastResort.report(failure, suppressed);
        }
    }

    private void sleep(long until, boolean isWatching) {
        Thread.interrupted(); // clears an interrupt by a task: with the flag set the thread would not sleep
        assert Interleave.here();
        sleepsUntil = until;
        watches = isWatching;
        sleeps = true;
        assert Interleave.here();
        var next = earliest();
        var nanos = until - clock.getAsLong();
        // Without a timer the thread stays for a short time only, unless it watches a limit. The timer that it meant to
        // sleep for may just have been cancelled by a thread that did not see it sleep yet.
        var mayPark = next == null ? isWatching || nanos <= keepAliveNanos : next.due - until >= 0;
        // mutant: new-limit-is-overslept
        if (mayPark && nanos > 0 && !newLimits.isAnyDueBefore(until)) {
            sleeper.accept(nanos);
        }
        sleeps = false;
        wheel.lookAtNew();
    }
}
