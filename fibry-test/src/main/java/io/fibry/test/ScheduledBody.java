package io.fibry.test;

/** A program to run under a {@link TestSchedule}. */
@FunctionalInterface
public interface ScheduledBody {
    /**
     * Runs the program. What it throws fails the schedule.
     *
     * @param schedule the schedule under which it runs
     * @throws Exception if the program fails
     */
    void run(TestSchedule schedule) throws Exception;
}
