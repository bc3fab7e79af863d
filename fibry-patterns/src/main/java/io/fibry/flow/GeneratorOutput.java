package io.fibry.flow;

/**
 * Takes the values of one producer, or of the handler of a {@link FlowActor}. It is used by one thread at a time, as long as the
 * code to which it was given runs. Programs do not implement this interface.
 *
 * @param <T> type of the values
 */
public interface GeneratorOutput<T> {
    /**
     * Hands a value over. What the code does before this call <i>happens-before</i> the consumer, or a subscriber, gets the value.
     *
     * <p>For a producer, this method waits while as many values wait as the look-ahead allows. For the handler of a {@link
     * FlowActor}, the value goes to each of its subscribers, of which there may be none, and the policy decides where the buffer
     * of a subscriber is full; by default this method waits.
     *
     * @param value the value, not null
     * @throws java.util.concurrent.CancellationException for a producer, if the consumer wants no more values; let it end the
     *     producer
     * @throws IllegalStateException for a producer, if its code has ended
     * @throws io.fibry.ActorInterruptedException if the thread is interrupted while it waits
     */
    @SuppressWarnings("NamedLikeContextualKeyword") // it is called with its object: output.yield(value)
    void yield(T value);

    /**
     * Tells whether values are wanted. Code that works long between two values can look at it.
     *
     * @return for a producer, false if the next {@link #yield} throws; for the handler of a {@link FlowActor}, false if there
     *     is no subscriber at the moment
     */
    boolean isWanted();
}
