package io.fibry.flow;

import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.util.List;
import java.util.stream.Collector;

/**
 * Describes a pipeline: a source, stages, and what becomes of their values. {@link Flows#pipeline} begins one. A builder is
 * immutable; nothing runs before one of the last four methods is called.
 *
 * <pre>{@code
 * var sizes = Flows.pipeline(scope, "pages", addresses)
 *         .then(address -> fetch(address), StageOptions.parallel(8))     // eight at a time, in order
 *         .then(page -> page.length())
 *         .toList();
 * System.out.println(sizes.result().join());
 * }</pre>
 *
 * <p>A stage whose {@linkplain StageOptions options} ask for nothing else is called by the actor of the stage before it,
 * or of the source: a value then goes through one stage after another on one thread. A stage that works on several values
 * at a time, or has a capacity, has actors of its own, as many as its parallelism, and works beside the others. No actor
 * waits for another one: such a stage begins with a value when there is a place for it in front of the next one, and the
 * source is asked for a value when there is a place in front of the first. So pipelines run on every strategy. The source
 * may block, and runs on a fiber. What one stage does with a value <i>happens-before</i> what the next stage does with it.
 *
 * @param <T> type of the values that leave the last stage
 */
public interface PipelineBuilder<T> {
    /**
     * Adds a stage that works on one value at a time, and is called by the actor of the stage before it.
     *
     * @param <U> type of the values that leave it
     * @param function its work
     * @return the new builder
     */
    default <U> PipelineBuilder<U> then(ReplyHandler<? super T, ? extends U> function) {
        return then(function, StageOptions.usual());
    }

    /**
     * Adds a stage.
     *
     * @param <U> type of the values that leave it
     * @param function its work
     * @param options its options
     * @return the new builder
     */
    <U> PipelineBuilder<U> then(ReplyHandler<? super T, ? extends U> function, StageOptions options);

    /**
     * Starts the pipeline, whose last stage gives each value to a consumer.
     *
     * @param consumer what it does with a value
     * @param options the options of this stage
     * @return the pipeline; its result is the number of values that were consumed
     * @throws IllegalStateException if the scope is closed
     */
    PipelineRun<Long> forEach(Handler<? super T> consumer, StageOptions options);

    /**
     * Starts the pipeline, whose values are collected. The collector is called by one thread at a time.
     *
     * @param <R> type of the result
     * @param collector collects the values
     * @return the pipeline
     * @throws IllegalStateException if the scope is closed
     */
    <R> PipelineRun<R> collect(Collector<? super T, ?, R> collector);

    /**
     * Starts the pipeline, whose values become a list.
     *
     * @return the pipeline
     * @throws IllegalStateException if the scope is closed
     */
    PipelineRun<List<T>> toList();

    /**
     * Makes a publisher of the values. The pipeline is started for each subscriber, which must request values to keep
     * it moving. If the subscriber cancels, the pipeline is cancelled. The last of the options that were given to a
     * stage say how many values may wait for the subscriber.
     *
     * @return the publisher
     * @throws IllegalStateException if the scope is closed
     */
    FlowPublisher<T> publisher();
}
