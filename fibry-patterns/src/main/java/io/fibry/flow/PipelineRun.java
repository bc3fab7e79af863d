package io.fibry.flow;

import io.fibry.StopReport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A pipeline that runs. Thread-safe. Programs do not implement this interface.
 *
 * @param <R> type of the result
 */
public interface PipelineRun<R> extends AutoCloseable {
    /**
     * Returns a future of the result. It completes when no code of the pipeline runs any more, and its actors have
     * stopped: with the result; with the very exception of the source or of a stage; with a {@link
     * java.util.concurrent.CancellationException} after {@link #cancel}; with an {@link io.fibry.ActorStoppedException}
     * if the scope was closed before. {@code get} throws an {@link java.util.concurrent.ExecutionException} with that
     * cause in each of these cases: the future of a cancelled pipeline is not cancelled itself. Each call returns
     * another future; cancelling it does not cancel the pipeline.
     *
     * @return the future
     */
    CompletableFuture<R> result();

    /**
     * Returns how far the pipeline is. The numbers belong to one moment.
     *
     * @return the progress
     */
    PipelineProgress progress();

    /**
     * Cancels the pipeline. No value comes in any more. Values that wait are given up. Values that are being worked on are
     * worked on to the end of their stage, and are then given up, except for those of the last stage, which count as
     * consumed. A source that is {@link AutoCloseable} is closed. Does not wait.
     */
    void cancel();

    /**
     * Cancels the pipeline and waits for its end. What still runs at the deadline is interrupted.
     *
     * @param deadline how long the stages may take; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /** Cancels the pipeline and waits for its end, as the close of a scope does. */
    @Override
    void close();

    /**
     * Returns a future that completes when the actors of the pipeline have stopped, after {@link #result}.
     *
     * @return the future of a report
     */
    CompletableFuture<StopReport> onStopped();
}
