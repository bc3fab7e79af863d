package io.fibry.work;

/** The states of a {@link CircuitBreaker}. */
public enum BreakerState {
    /** Calls are started and measured. */
    CLOSED,
    /** Calls are refused. */
    OPEN,
    /** Some calls are started, to find out whether they succeed again; the others are refused. */
    HALF_OPEN
}
