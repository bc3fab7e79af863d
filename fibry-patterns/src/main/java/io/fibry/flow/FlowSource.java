package io.fibry.flow;

/**
 * Something that pushes values, such as a topic or a listener, as the source of a {@linkplain Flows#connected connected publisher}. It is
 * connected once for each subscriber.
 *
 * <pre>{@code
 * FlowSource<Price> source = sink -> {
 *     var subscription = topic.subscribe(sink::offer);
 *     return subscription::close;
 * };
 * }</pre>
 *
 * @param <T> type of the values
 */
@FunctionalInterface
public interface FlowSource<T> {
    /**
     * Connects a new subscriber. This method returns soon; values may be offered before it returns, and later, by any thread.
     *
     * @param sink takes the values for the subscriber
     * @return ends the connection; closed once, when the subscriber wants no more values or none will come
     * @throws Exception any exception; the subscriber gets it
     */
    AutoCloseable connect(FlowSink<T> sink) throws Exception;
}
