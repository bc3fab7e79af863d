package io.fibry.internal.run;

/**
 * How far the lanes are used, as one thread has seen it.
 *
 * @param filled how many lanes have a job in their slot
 * @param overflow how many jobs wait for a lane
 * @param starting how many helpers are starting
 */
public record LaneUse(int filled, long overflow, int starting) {
}
