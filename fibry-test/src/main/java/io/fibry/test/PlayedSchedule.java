package io.fibry.test;

import io.fibry.function.Body;
import java.time.Duration;
import java.util.Objects;

/** What runs a program under a schedule. */
sealed interface PlayedSchedule extends TestSchedule permits SeededSchedule, PerturbedSchedule {
    /** Runs the program to its end, and fails if it does; {@code replay} says how to run the schedule again. */
    void play(Body program, String replay);

    /** Tells whether the calling thread goes on by this schedule, which moves the clock. */
    boolean isOnItsThread();

    /** Moves the clock, at most to the next timer. */
    void move(Duration duration);

    @Override
    default void advance(Duration duration) throws InterruptedException {
        if (Objects.requireNonNull(duration, "duration").isNegative()) {
            throw new IllegalArgumentException("duration must not be negative: " + duration);
        }
        var begin = time().nanoTime();
        var end = begin + Math.min(TestWait.nanos(duration), Long.MAX_VALUE - begin);
        awaitQuiet();
        for (var next = time().nanosToNext(); next <= end - time().nanoTime(); next = time().nanosToNext()) {
            move(Duration.ofNanos(next));
            awaitQuiet();
        }
        move(Duration.ofNanos(Math.max(0, end - time().nanoTime())));
    }
}
