package io.fibry.flow;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * An iterator whose values are made by plain loops, each of which runs in an actor of its own. The producers run ahead of the
 * consumer, but no more values wait than the {@linkplain FlowOptions#capacity() capacity} allows.
 *
 * <pre>{@code
 * try (var squares = Generator.<Integer>open(scope, "squares", FlowOptions.usual(), output -> {
 *     for (int i = 0; i < 1_000_000; i++) {
 *         output.yield(i * i);
 *     }
 * })) {
 *     System.out.println(squares.stream().limit(10).toList());
 * } // the producer has ended
 * }</pre>
 *
 * <p>The values of one producer come in the order in which it yields them. If a producer throws, all producers end; the
 * consumer gets the values that were yielded before, and then the exception itself, or a {@link ActorException} if it is a
 * checked one. What other producers throw is suppressed in it. That is a result, and no failure of an actor.
 *
 * <p>A consumer that wants no more values closes the generator. A producer then ends with its next value; one that
 * waits is interrupted. If neither the program nor a producer refers to a generator, or to its stream, any more, its
 * producers end when the garbage collector has found that: each with its next value, or at once if it waits for room. A
 * producer that waits for something else is not interrupted then. If its scope is closed, the consumer gets the values
 * that are there, and then an {@link io.fibry.ActorStoppedException}.
 *
 * <p>The methods of {@link Iterator} and the stream are for one thread at a time; the others are thread-safe. What a producer
 * does before it yields a value <i>happens-before</i> the consumer gets the value. If the thread that waits in {@code hasNext}
 * or {@code next} is interrupted, an {@link io.fibry.ActorInterruptedException} is thrown, and the generator goes on.
 * No time limit of a handler ends these waits, and they are not seen in a cycle of waits.
 *
 * @param <T> type of the values
 */
public interface Generator<T> extends Iterator<T>, AutoCloseable {
    /**
     * Opens a generator with one producer, which starts at once.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param options the options
     * @param producer makes the values
     * @return the generator
     * @throws IllegalStateException if the scope is closed
     */
    static <T> Generator<T> open(ActorScope scope, String name, FlowOptions options,
            Handler<GeneratorOutput<T>> producer) {
        return open(scope, name, options, List.of(Objects.requireNonNull(producer, "producer")));
    }

    /**
     * Opens a generator with several producers, which start at once and run side by side. They share the capacity. Values of
     * different producers have no order.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name its name in reports
     * @param options the options, with a capacity of at least one for each producer
     * @param producers make the values; at least one
     * @return the generator
     * @throws IllegalStateException if the scope is closed
     */
    static <T> Generator<T> open(ActorScope scope, String name, FlowOptions options,
            List<? extends Handler<GeneratorOutput<T>>> producers) {
        return ActorGenerator.open(scope, name, options, producers);
    }

    /**
     * Waits until there is a value, or the end. After the failure of a producer, and when the values that were there
     * before have been taken, each call throws what the producer has thrown.
     *
     * @return true if {@link #next} returns a value
     * @throws ActorException if a producer has thrown a checked exception, which is the cause
     */
    @Override
    boolean hasNext();

    /**
     * Returns the next value. Waits for it if need be.
     *
     * @return the value
     * @throws java.util.NoSuchElementException if the producers have ended, or the generator was closed
     */
    @Override
    T next();

    /**
     * Returns the rest of the values as a stream. A stream that is closed closes the generator.
     *
     * @return the stream, which is sequential
     */
    Stream<T> stream();

    /**
     * Closes the generator, and waits until its producers have ended. They have the given time to come to their next value,
     * or to their end, and are then interrupted.
     *
     * @param deadline how long the producers may take; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Closes the generator: the consumer gets no more values, and a producer ends with its next value. A producer that
     * waits, or works, is interrupted at once; this method waits for its end, for up to one second.
     */
    @Override
    void close();

    /**
     * Returns a future that completes when the producers have ended. See {@link io.fibry.Actor#onStopped()}.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();
}
