package io.fibry.flow;

/**
 * Takes the values that are pushed to one subscriber. Thread-safe. What a thread does before it offers a value
 * <i>happens-before</i> the subscriber gets the value.
 *
 * @param <T> type of the values
 */
public interface FlowSink<T> {
    /**
     * Offers a value. If as many values wait for the subscriber as the {@linkplain FlowOptions#capacity() capacity} allows,
     * the {@linkplain FlowOptions#overflow() policy} decides.
     *
     * @param value the value, not null
     * @return true if the value was accepted; false if it was dropped or refused, or if the subscriber wants no more
     */
    boolean offer(T value);

    /** Ends the values: the subscriber gets those that wait, and then the end. */
    void complete();

    /**
     * Ends the values by a failure: the subscriber gets those that wait, and then the failure.
     *
     * @param failure the failure
     */
    void fail(Throwable failure);

    /**
     * Tells whether the subscriber still wants values.
     *
     * @return false if it has cancelled, or if the values have ended
     */
    boolean isWanted();
}
