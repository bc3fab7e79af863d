package io.fibry.flow;

/**
 * Handles the messages of a {@link FlowActor}. It may block and may throw anything.
 *
 * @param <M> type of the messages
 * @param <T> type of the values that are published
 */
@FunctionalInterface
public interface FlowHandler<M, T> {
    /**
     * Handles one message.
     *
     * @param message the message
     * @param output publishes values: any number of them, during this call
     * @throws Exception any exception; it is a failure of the actor
     */
    void handle(M message, GeneratorOutput<T> output) throws Exception;
}
