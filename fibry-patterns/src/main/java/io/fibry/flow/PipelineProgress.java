package io.fibry.flow;

import java.util.List;

/**
 * How far a pipeline is, at one moment: no value is between two stages.
 *
 * @param state whether it runs
 * @param stages its stages, the first one first
 */
public record PipelineProgress(State state, List<StageProgress> stages) {
    /** Whether a pipeline runs. */
    public enum State {
        /** Values come in, or are worked on. */
        RUNNING,
        /** The source has ended, and all values have gone through. */
        COMPLETED,
        /** The source or a stage has failed, or the pipeline was stopped from outside. */
        FAILED,
        /** The pipeline was cancelled. */
        CANCELLED
    }

    /**
     * Makes a progress.
     *
     * @param state whether it runs
     * @param stages is copied
     */
    public PipelineProgress {
        stages = List.copyOf(stages);
    }
}
