package io.fibry.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until it is moved by hand: for tests of what happens in time, which then need not sleep.
 * What is due runs on the thread that moves the clock, in order, each at its time.
 *
 * <pre>{@code
 * var time = new ManualTime();
 * try (var scope = ActorScope.configure("test").time(time).open()) {
 *     …
 *     time.advance(Duration.ofHours(1));
 * }
 * }</pre>
 *
 * <p>What an actor does with a timer's message runs where that actor runs, and may not be done when
 * {@code advance} returns. Thread-safe; but if two threads move the clock, what is due may run on either of them.
 */
public final class ManualTime implements TimeSource {
    private final NavigableSet<Task> tasks = new ConcurrentSkipListSet<>();
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final Clock clock;

    /** A clock that shows the beginning of 1970, in UTC. */
    public ManualTime() {
        this(Instant.EPOCH);
    }

    /**
     * A clock that shows a certain time.
     *
     * @param start what it shows before it is moved
     */
    public ManualTime(Instant start) {
        clock = new WallClock(Objects.requireNonNull(start, "start"), ZoneOffset.UTC);
    }

    private record Task(long due, long number, Runnable code) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
        }
    }

    /** The time of day that belongs to the nanoseconds. */
    private final class WallClock extends Clock {
        private final Instant start;
        private final ZoneId zone;

        WallClock(Instant start, ZoneId zone) {
            this.start = start;
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new WallClock(start, other);
        }

        @Override
        public Instant instant() {
            return start.plusNanos(nanoTime());
        }
    }

    /** How long it is since it was made. */
    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        var set =
                new Task(after(delayNanos), numbers.getAndIncrement(), Objects.requireNonNull(task, "task"));
        tasks.add(set);
        return () -> tasks.remove(set);
    }

    /**
     * Moves the clock and runs what is due meanwhile, tasks that such tasks set included. What a task throws is
     * thrown here; the clock then stands at that task's time.
     *
     * @param duration how far, not negative
     */
    public void advance(Duration duration) {
        if (Objects.requireNonNull(duration, "duration").isNegative()) {
            throw new IllegalArgumentException("duration must not be negative: " + duration);
        }
        var most = Duration.ofNanos(Long.MAX_VALUE);
        advanceTo(after(duration.compareTo(most) > 0 ? Long.MAX_VALUE : duration.toNanos()));
    }

    /**
     * Moves the clock to the next task and runs what is due then.
     *
     * @return false if there is none
     */
    public boolean advanceToNext() {
        var next = next(Long.MAX_VALUE);
        if (next == null) {
            return false;
        }
        advanceTo(next.due);
        return true;
    }

    /** A time from now; the end of time, in nearly 300 years, is not passed. */
    private long after(long nanos) {
        var from = now.get();
        return from + Math.min(Math.max(0, nanos), Long.MAX_VALUE - from);
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

    /**
     * How long it is to the next task.
     *
     * @return nanoseconds, {@code Long.MAX_VALUE} if there is none
     */
    public long nanosToNext() {
        var next = next(Long.MAX_VALUE);
        return next == null ? Long.MAX_VALUE : next.due - now.get();
    }

    /**
     * How many tasks are still to run.
     *
     * @return the number
     */
    public int pending() {
        return tasks.size();
    }
}
