package io.fibry.internal.supervise;

import io.fibry.FailurePolicy.Restart;
import io.fibry.internal.clock.Durations;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/**
 * The restarts of one actor under one policy: when they were, and how many of them were in a row. The times are
 * those of a clock that stands still while the actor pauses.
 */
final class RestartHistory {
    private final int limit;
    private final long window;
    private final long min;
    private final long max;
    private final double jitter;
    /** The times of the restarts in the window, at most as many as the limit. Empty if there is no limit. */
    private final Deque<Long> times = new ArrayDeque<>();
    /** The number of restarts without a long run between them. */
    private int inARow;

    RestartHistory(Restart policy) {
        limit = policy.limit();
        window = Durations.nanos(policy.window(), "window");
        min = Durations.nanos(policy.backoff().min(), "min");
        max = Durations.nanos(policy.backoff().max(), "max");
        jitter = policy.backoff().jitter();
    }

    /**
     * Records a failure after a run of {@code ranFor} nanoseconds. Returns the pause before the restart, or empty if
     * the limit allows no restart.
     */
    OptionalLong failed(long now, long ranFor, RandomGenerator random) {
        if (limit != Integer.MAX_VALUE) {
            while (!times.isEmpty() && now - times.getFirst() >= window) {
                times.removeFirst();
            }
            if (times.size() >= limit) {
                return OptionalLong.empty();
            }
            times.addLast(now);
        }
        if (ranFor >= max) {
            inARow = 0;
        }
        return OptionalLong.of(pause(inARow++, random));
    }

    private long pause(int doublings, RandomGenerator random) {
        var pause = min;
        for (int i = 0; i < doublings && pause < max; i++) {
            pause = pause > max / 2 ? max : pause * 2;
        }
        return jitter == 0 || pause == 0 ? pause : pause - (long) (pause * jitter * random.nextDouble());
    }
}
