package io.fibry.internal.run;

import org.jspecify.annotations.Nullable;

/** Is told what the monitor does. Called on the timer thread, so it does not wait. */
@FunctionalInterface
public interface LaneRecorder {
    /**
     * The monitor has started a job elsewhere that was next on a lane.
     *
     * @param job the job
     * @param before the job that the lane was busy with, as far as the monitor saw
     */
    void rescued(Job job, @Nullable Job before);
}
