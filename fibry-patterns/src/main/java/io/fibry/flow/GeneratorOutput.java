package io.fibry.flow;

/**
 * Takes the values of one producer, on one thread at a time, while its code runs. Programs do not implement this interface.
 *
 * @param <T> type of the values
 */
public interface GeneratorOutput<T> {
    /**
     * Hands a value over. What the code does before <i>happens-before</i> the consumer, or a subscriber, gets the value.
     *
     * <p>This method waits while as many values wait as the look-ahead allows.
     *
     * @param value the value, not null
     * @throws java.util.concurrent.CancellationException if the consumer wants no more values; let it end the
     *     producer
     * @throws IllegalStateException if its code has ended
     * @throws io.fibry.ActorInterruptedException if the thread is interrupted while it waits
     */
    @SuppressWarnings("NamedLikeContextualKeyword") // it is called with its object: output.yield(value)
    void yield(T value);

    /**
     * Tells whether values are wanted. Code that works long between two values can look at it.
     *
     * @return false if the next {@link #yield} throws
     */
    boolean isWanted();
}
