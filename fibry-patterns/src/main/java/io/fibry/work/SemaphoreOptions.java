package io.fibry.work;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Options of an {@link ActorSemaphore}. Objects are immutable: each {@code with…} method returns another object.
 *
 * @param permits how many permits there are
 * @param waiting how many may wait for permits at a time
 * @param lease how long permits may be held; if empty, for any time
 */
public record SemaphoreOptions(int permits, int waiting, Optional<Duration> lease) {
    private static final int WAITING = 10_000;

    /**
     * Checks the numbers.
     *
     * @param permits at least one
     * @param waiting zero or more
     * @param lease more than zero, if it is there
     */
    public SemaphoreOptions {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be at least 1: " + permits);
        }
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting must not be negative: " + waiting);
        }
        Objects.requireNonNull(lease, "lease");
        if (lease.isPresent() && !lease.get().isPositive()) {
            throw new IllegalArgumentException("lease must be more than zero: " + lease.get());
        }
    }

    /**
     * Returns options for permits that may be held for any time. Up to 10,000 may wait.
     *
     * @param permits how many permits there are
     * @return the options
     */
    public static SemaphoreOptions of(int permits) {
        return new SemaphoreOptions(permits, WAITING, Optional.empty());
    }

    /**
     * Returns options for a lock: a semaphore with one permit.
     *
     * @return the options
     */
    public static SemaphoreOptions lock() {
        return of(1);
    }

    /**
     * Returns the same options with another limit of those who wait for permits.
     *
     * @param limit how many may wait at a time; with zero, none waits
     * @return the new options
     */
    public SemaphoreOptions withWaiting(int limit) {
        return new SemaphoreOptions(permits, limit, lease);
    }

    /**
     * Returns the same options for permits that are taken back when they have been held for some time, also if their holder is
     * stuck.
     *
     * @param time how long permits may be held, by the clock of the scope
     * @return the new options
     */
    public SemaphoreOptions withLease(Duration time) {
        return new SemaphoreOptions(permits, waiting, Optional.of(Objects.requireNonNull(time, "time")));
    }

    @Override
    public String toString() {
        return "SemaphoreOptions[permits=" + permits + ", waiting=" + waiting
                + (lease.isPresent() ? ", lease=" + lease.get() : "") + "]";
    }
}
