package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes publishers of {@link java.util.concurrent.Flow}, and pipelines.
 *
 * <pre>{@code
 * try (var numbers = Flows.<Integer>publisher(scope, "numbers", FlowOptions.usual(), output -> {
 *     for (int i = 0; i < 1000; i++) {
 *         output.yield(i);
 *     }
 * })) {
 *     var sum = new LongAdder();
 *     var subscriber = FlowSubscriber.<Integer>open(scope, "sum", FlowOptions.usual(), sum::add);
 *     numbers.subscribe(subscriber);
 *     subscriber.onEnd().join();
 *     System.out.println(sum);
 * }
 * }</pre>
 */
public final class Flows {
    private Flows() {
    }

    /**
     * Makes a publisher that runs a producer, in an actor of its own, for each subscriber. The producer waits while as many
     * values wait as the capacity allows, and ends when its subscriber cancels. What it throws is given to {@code onError}
     * after the values that it has yielded.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param options the options
     * @param producer makes the values for one subscriber; used by several threads at a time if there are several
     * @return the publisher
     * @throws IllegalStateException if the scope is closed
     */
    public static <T> FlowPublisher<T> publisher(ActorScope scope, String name, FlowOptions options,
            Handler<GeneratorOutput<T>> producer) {
        return new GeneratedPublisher<>(scope, name, options, Objects.requireNonNull(producer, "producer"));
    }

    /**
     * Makes a publisher of the values of an {@link Iterable}, with a new iterator for each subscriber. The iterator is used
     * inside an actor, and may block.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param options the options
     * @param values the values, none of which may be null
     * @return the publisher
     * @throws IllegalStateException if the scope is closed
     */
    public static <T> FlowPublisher<T> publisher(ActorScope scope, String name, FlowOptions options,
            Iterable<? extends T> values) {
        Objects.requireNonNull(values, "values");
        return publisher(scope, name, options, (GeneratorOutput<T> output) -> values.forEach(output::yield));
    }

    /**
     * Makes a publisher that connects each subscriber to a source that pushes values, such as a topic. What is pushed while the
     * buffer of a subscriber is full meets the {@linkplain FlowOptions#overflow() policy}, for each subscriber alone.
     *
     * <pre>{@code
     * var prices = Flows.<Price>connected(scope, "prices", FlowOptions.usual(), sink -> {
     *     var subscription = topic.subscribe(sink::offer);
     *     return subscription::close;
     * });
     * }</pre>
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param options the options
     * @param source connects a new subscriber and returns what ends the connection, which is closed once. It returns
     *     soon; values may be offered before that, and later, by any thread. The subscriber gets what it throws
     * @return the publisher
     * @throws IllegalStateException if the scope is closed
     */
    public static <T> FlowPublisher<T> connected(ActorScope scope, String name, FlowOptions options,
            ReplyHandler<FlowSink<T>, AutoCloseable> source) {
        return new SourcePublisher<>(scope, name, options, Objects.requireNonNull(source, "source"));
    }

    /**
     * Begins a pipeline over the values of an {@link Iterable}. Each run has an iterator of its own.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param values the values, none of which may be null
     * @return the builder
     */
    public static <T> PipelineBuilder<T> pipeline(ActorScope scope, String name,
            Iterable<? extends T> values) {
        Objects.requireNonNull(values, "values");
        return new PipelinePlan<>(scope, name, () -> new IteratorSource(values.iterator(), null), List.of());
    }

    /**
     * Begins a pipeline over the values of an iterator, such as a {@link Generator}, which can run once. If the iterator is
     * {@link AutoCloseable}, it is closed at the end of the pipeline.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param values the values, none of which may be null; read by one thread at a time
     * @return the builder
     */
    public static <T> PipelineBuilder<T> pipeline(ActorScope scope, String name,
            Iterator<? extends T> values) {
        Objects.requireNonNull(values, "values");
        return once(scope, name,
                () -> new IteratorSource(values, values instanceof AutoCloseable resource ? resource : null));
    }

    /**
     * Begins a pipeline over the values of a stream, which can run once. The stream is closed at the end of the pipeline.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param values the values, none of which may be null; read by one thread at a time
     * @return the builder
     */
    public static <T> PipelineBuilder<T> pipeline(ActorScope scope, String name, Stream<? extends T> values) {
        Objects.requireNonNull(values, "values");
        return once(scope, name, () -> new IteratorSource(values.iterator(), values));
    }

    /**
     * Begins a pipeline over the values of a publisher. Each run subscribes, and requests what there is room for.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param publisher publishes the values
     * @return the builder
     */
    public static <T> PipelineBuilder<T> pipeline(ActorScope scope, String name,
            Flow.Publisher<? extends T> publisher) {
        Objects.requireNonNull(publisher, "publisher");
        return new PipelinePlan<>(scope, name, () -> new PublisherSource<>(publisher), List.of());
    }

    private static <T> PipelineBuilder<T> once(ActorScope scope, String name,
            Supplier<PipelineSource> source) {
        var used = new AtomicBoolean();
        return new PipelinePlan<>(scope, name, () -> {
            if (!used.compareAndSet(false, true)) {
                throw new IllegalStateException(
                        "pipeline '" + name + "' has run already, and its source can be read only "
                                + "once; begin another pipeline, or give it an Iterable");
            }
            return source.get();
        }, List.of());
    }
}
