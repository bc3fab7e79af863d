package io.fibry.work;

/**
 * What a {@link CircuitBreaker} shows of itself at a moment.
 *
 * @param state its state
 * @param calls how many calls are in its window; when it is half-open, how many of the calls for that have ended
 * @param failed how many of them have failed
 * @param slow how many of them were slow
 * @param refused how many calls it has refused since it was made
 */
public record BreakerReport(BreakerState state, int calls, int failed, int slow, long refused) {
}
