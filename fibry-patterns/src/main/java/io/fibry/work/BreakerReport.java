package io.fibry.work;

/**
 * The state of a {@link CircuitBreaker} at a moment, with its counts.
 *
 * @param state its state
 * @param calls how many calls are in its window; when it is half-open, how many of the calls for that have ended
 * @param failed how many of them have failed
 * @param slow how many of them were slow
 * @param refused how many calls it has refused since it was made
 */
public record BreakerReport(BreakerState state, int calls, int failed, int slow, long refused) {
}
