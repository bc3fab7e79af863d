package io.fibry.test;

import io.fibry.ActorSystem;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock whose timers can be made late. It shows the time of another clock.
 *
 * <pre>{@code
 * var time = new ManualTime();
 * var late = LateTime.of(time);
 * try (var scope = ActorSystem.configure("test").time(late).open()) {
 *     late.nextIsLateBy(Duration.ofSeconds(3));
 *     // the next timer, time limit or job of the scope that is set comes three seconds too late
 * }
 * }</pre>
 *
 * <p>Objects of this class are thread-safe, as far as the other clock is.
 */
public final class LateTime implements TimeSource {
    private final TimeSource time;
    private final AtomicLong each = new AtomicLong();
    private final AtomicLong next = new AtomicLong();

    private LateTime(TimeSource time) {
        this.time = time;
    }

    /**
     * Makes a clock whose timers are in time so far.
     *
     * @param time the other clock, mostly a {@link io.fibry.time.ManualTime}
     * @return the clock
     */
    public static LateTime of(TimeSource time) {
        return new LateTime(Objects.requireNonNull(time, "time"));
    }

    /**
     * Makes each timer late that is set from now on.
     *
     * @param delay by how much; zero ends the lateness
     */
    public void allAreLateBy(Duration delay) {
        each.set(nanos(delay));
    }

    /**
     * Makes one timer late: the next one that is set.
     *
     * @param delay by how much
     */
    public void nextIsLateBy(Duration delay) {
        next.set(nanos(delay));
    }

    private static long nanos(Duration delay) {
        if (Objects.requireNonNull(delay, "delay").isNegative()) {
            throw new IllegalArgumentException("delay must not be negative: " + delay);
        }
        return TestWait.nanos(delay);
    }

    TimeSource inTime() {
        return time;
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public Clock clock() {
        return time.clock();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        var late = each.get() + next.getAndSet(0);
        var from = Math.max(0, delayNanos);
        return time.schedule(from > Long.MAX_VALUE - late ? Long.MAX_VALUE : from + late, task);
    }

    @Override
    public Cancellable follow(Activity activity) {
        return time.follow(activity);
    }

    @Override
    public String toString() {
        return "LateTime[" + time + "]";
    }
}
