package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.DynamicTest;

/**
 * A table of limits, each of which is tried with the smallest and largest values there are. A value is refused at once, by
 * an {@link IllegalArgumentException} that says it, or what it is a limit of works with it.
 */
public final class Extremes {
    private static final List<Integer> INTS = List.of(0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE);
    private static final List<Long> LONGS = List.of(0L, 1L, -1L, (long) Integer.MAX_VALUE,
            Integer.MAX_VALUE + 1L, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE);
    private static final List<Duration> DURATIONS = List.of(Duration.ZERO, Duration.ofNanos(1),
            Duration.ofNanos(-1), Duration.ofNanos(Long.MAX_VALUE - 1), Duration.ofNanos(Long.MAX_VALUE),
            Duration.ofMillis(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE));
    /** A limit as short as this may be over before anything has happened. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final List<DynamicTest> tests = new ArrayList<>();

    /** Sets a limit to a value, and uses what it is a limit of. */
    @FunctionalInterface
    public interface Use<T> {
        void with(T value) throws Exception;
    }

    public Extremes number(String name, Use<Integer> use) {
        return all(name, INTS, use);
    }

    public Extremes longNumber(String name, Use<Long> use) {
        return all(name, LONGS, use);
    }

    public Extremes time(String name, Use<Duration> use) {
        return all(name, DURATIONS, use);
    }

    private <T> Extremes all(String name, List<T> values, Use<T> use) {
        for (var value : values) {
            tests.add(DynamicTest.dynamicTest(name + " = " + value,
                    () -> assertTimeoutPreemptively(Patience.LIMIT, () -> tryIt(value, use))));
        }
        return this;
    }

    private static <T> void tryIt(T value, Use<T> use) throws Exception {
        try {
            use.with(value);
        } catch (IllegalArgumentException refused) {
            assertThat(refused).hasMessageContaining(value.toString());
        } catch (IOException | ExecutionException late) {
            if (!(value instanceof Duration time) || time.compareTo(SHORT) > 0) {
                throw late;
            }
        }
    }

    public List<DynamicTest> tests() {
        return tests;
    }
}
