package io.fibry.work;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Options of a {@link CircuitBreaker}. Objects are immutable.
 *
 * @param window which calls are measured
 * @param least how many calls have to be in the window before the breaker decides
 * @param failureRate which part of them may not fail: at this rate the breaker opens
 * @param slowAfter how long a call takes that counts as slow
 * @param slowRate which part of them may not be slow: at this rate the breaker opens
 * @param openFor how long it stays open
 * @param trials how many calls it starts when it is half-open
 * @param counts tells whether a failure counts; a call that fails otherwise counts as one that has succeeded
 * @param listener hears of the states, and of calls that are refused
 */
public record BreakerOptions(BreakerWindow window, int least, double failureRate, Duration slowAfter,
        double slowRate, Duration openFor, int trials, Predicate<? super Throwable> counts,
        Consumer<? super WorkEvent> listener) {
    private static final Duration NEVER = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * Checks the numbers.
     *
     * @param window not null
     * @param least at least one, and no more than the calls of the window
     * @param failureRate more than 0, and 1 at most
     * @param slowAfter more than zero
     * @param slowRate more than 0, and 1 at most
     * @param openFor more than zero
     * @param trials at least one
     * @param counts not null
     * @param listener not null
     */
    public BreakerOptions {
        if (least < 1
                || (Objects.requireNonNull(window, "window") instanceof BreakerWindow.Calls last
                        && least > last.calls())) {
            throw new IllegalArgumentException(
                    "least must be at least 1, and no more than the window " + window
                            + " has: " + least);
        }
        checkRate("failureRate", failureRate);
        checkRate("slowRate", slowRate);
        checkTime("slowAfter", slowAfter);
        checkTime("openFor", openFor);
        if (trials < 1) {
            throw new IllegalArgumentException("trials must be at least 1: " + trials);
        }
        Objects.requireNonNull(window, "window");
        Objects.requireNonNull(counts, "counts");
        Objects.requireNonNull(listener, "listener");
    }

    private static void checkRate(String what, double rate) {
        if (!(rate > 0 && rate <= 1)) {
            throw new IllegalArgumentException(what + " must be more than 0, and 1 at most: " + rate);
        }
    }

    private static void checkTime(String what, Duration time) {
        if (Objects.requireNonNull(time, what).isNegative() || time.isZero() || time.compareTo(NEVER) > 0) {
            throw new IllegalArgumentException(
                    what + " must be more than zero, and " + NEVER + " at most: " + time);
        }
    }

    /**
     * Returns options of a breaker that decides when the window is full (a window of time: when it has ten calls),
     * opens when half of the calls have failed, and starts one call when it is half-open. No call counts as slow. A
     * cancelled call does not count. A call that fails with an {@link Error} counts as one that has succeeded.
     *
     * @param window which calls are measured
     * @param openFor how long the breaker stays open
     * @return the options
     */
    public static BreakerOptions of(BreakerWindow window, Duration openFor) {
        return new BreakerOptions(window, window instanceof BreakerWindow.Calls last ? last.calls() : 10, 0.5,
                NEVER,
                1, openFor, 1,
                failure -> failure instanceof Exception && !(failure instanceof CancellationException),
                event -> {
                });
    }

    /**
     * Returns the same options with another least number of calls.
     *
     * @param calls how many calls have to be in the window before the breaker decides
     * @return the new options
     */
    public BreakerOptions withLeast(int calls) {
        return new BreakerOptions(window, calls, failureRate, slowAfter, slowRate, openFor, trials, counts,
                listener);
    }

    /**
     * Returns the same options with another rate of failures.
     *
     * @param rate at which part of failed calls the breaker opens; more than 0, and 1 at most
     * @return the new options
     */
    public BreakerOptions withFailureRate(double rate) {
        return new BreakerOptions(window, least, rate, slowAfter, slowRate, openFor, trials, counts,
                listener);
    }

    /**
     * Returns the same options for a breaker that also opens when calls are slow.
     *
     * @param after how long a call takes that counts as slow
     * @param rate at which part of slow calls the breaker opens; more than 0, and 1 at most
     * @return the new options
     */
    public BreakerOptions withSlowCalls(Duration after, double rate) {
        return new BreakerOptions(window, least, failureRate, after, rate, openFor, trials, counts, listener);
    }

    /**
     * Returns the same options with more calls that are started when the breaker is half-open.
     *
     * @param calls how many, at least one
     * @return the new options
     */
    public BreakerOptions withTrials(int calls) {
        return new BreakerOptions(window, least, failureRate, slowAfter, slowRate, openFor, calls, counts,
                listener);
    }

    /**
     * Returns the same options with another choice of the failures that count.
     *
     * @param choice tells whether a failure counts
     * @return the new options
     */
    public BreakerOptions withCounts(Predicate<? super Throwable> choice) {
        return new BreakerOptions(window, least, failureRate, slowAfter, slowRate, openFor, trials, choice,
                listener);
    }

    /**
     * Returns the same options with another listener.
     *
     * @param hears the listener
     * @return the new options
     */
    public BreakerOptions withListener(Consumer<? super WorkEvent> hears) {
        return new BreakerOptions(window, least, failureRate, slowAfter, slowRate, openFor, trials, counts,
                hears);
    }
}
