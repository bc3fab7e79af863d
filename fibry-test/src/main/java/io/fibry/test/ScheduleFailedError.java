package io.fibry.test;

import java.util.List;

/**
 * A program failed under a schedule: it threw, or nothing could go on although threads were waiting. The message
 * begins with the seed and says how to replay the schedule; the cause is what the program threw, if it did.
 */
public final class ScheduleFailedError extends AssertionError {
    private static final long serialVersionUID = 1;

    /** The seed. */
    private final long seed;

    private ScheduleFailedError(long seed, String message) {
        super(message);
        this.seed = seed;
    }

    /** Returns the error for what threads threw, the first one as its cause, or for threads that go on no more. */
    static ScheduleFailedError of(long seed, List<Throwable> failures, String stuck, String replay) {
        var what =
                failures.isEmpty() ? stuck : failures.getFirst() + (stuck.isEmpty() ? "" : "; then " + stuck);
        var error = new ScheduleFailedError(seed, "seed " + seed + ": " + what + "\n" + replay);
        if (!failures.isEmpty()) {
            error.initCause(failures.getFirst());
            failures.stream().skip(1).forEach(error::addSuppressed);
        }
        return error;
    }

    /**
     * Returns the seed of the schedule.
     *
     * @return the number with which {@link TestSchedule#replay} runs the same schedule
     */
    public long seed() {
        return seed;
    }
}
