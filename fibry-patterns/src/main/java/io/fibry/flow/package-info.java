/**
 * Generators, pipelines, and publishers and subscribers of {@link java.util.concurrent.Flow}.
 *
 * <pre>{@code
 * try (var lines = Generator.<String>open(scope, "lines", FlowOptions.capacity(100), output -> {
 *     while (true) {
 *         output.yield(socket.readLine());      // a plain loop; waits while 100 lines wait
 *     }
 * })) {
 *     lines.stream().limit(3).forEach(System.out::println);
 * } // the loop has ended
 *
 * var publisher = Flows.publisher(scope, "numbers", FlowOptions.usual(), List.of(1, 2, 3));
 * var subscriber = FlowSubscriber.<Integer>open(scope, "sum", FlowOptions.usual(), sum::add);
 * publisher.subscribe(subscriber);
 * subscriber.onEnd().join();
 * }</pre>
 *
 * <p>{@link io.fibry.flow.Generator} is an iterator or a stream of what loops make, {@link io.fibry.flow.Flows} makes
 * publishers, {@link io.fibry.flow.FlowSubscriber} gives a publisher's values to an actor, {@link io.fibry.flow.Flows#pipeline
 * Flows.pipeline} begins a pipeline of stages. Nothing is unbounded: the maker of values waits, or a policy decides.
 */
@NullMarked
package io.fibry.flow;

import org.jspecify.annotations.NullMarked;
