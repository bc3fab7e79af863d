package io.fibry.testing;

import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A clock that stands still until it is moved by hand. Tasks run on the thread that moves it. */
public final class ManualTime implements TimeSource {
    private final NavigableSet<Task> tasks = new ConcurrentSkipListSet<>();
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();

    private record Task(long due, long number, Runnable code) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
        }
    }

    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable code) {
        var delay = Math.max(0, delayNanos);
        var due = now.get() + Math.min(delay, Long.MAX_VALUE - now.get());
        var task = new Task(due, numbers.getAndIncrement(), code);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Moves the clock and runs what is due meanwhile, in order, each at its time. */
    public void advance(Duration duration) {
        advanceTo(now.get() + duration.toNanos());
    }

    /** Moves the clock to the next task and runs what is due then; false if there is none. */
    public boolean advanceToNext() {
        var next = next(Long.MAX_VALUE);
        if (next == null) {
            return false;
        }
        advanceTo(next.due);
        return true;
    }

    private void advanceTo(long end) {
        for (var task = next(end); task != null; task = next(end)) {
            if (tasks.remove(task)) { // else it was cancelled, or another thread runs it
                moveTo(task.due);
                task.code.run();
            }
        }
        moveTo(end);
    }

    private @Nullable Task next(long end) {
        var it = tasks.iterator();
        var first = it.hasNext() ? it.next() : null;
        return first != null && first.due <= end ? first : null;
    }

    private void moveTo(long time) {
        now.accumulateAndGet(time, Math::max);
    }

    /** How long it is to the next task; the longest time if there is none. */
    public long nanosToNext() {
        var next = next(Long.MAX_VALUE);
        return next == null ? Long.MAX_VALUE : next.due - now.get();
    }

    /** How many tasks are still to run. */
    public int pending() {
        return tasks.size();
    }
}
