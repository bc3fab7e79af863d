package io.fibry.topic;

import io.fibry.FailurePolicy;

/**
 * Handles the messages of several topics. A handler may block and may throw anything.
 *
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface TopicHandler<M> {
    /**
     * Handles one message.
     *
     * @param topic the name of the topic to which the message was published
     * @param message the message
     * @throws Exception any exception; the {@link FailurePolicy} of the subscriber's actor decides what follows
     */
    void handle(String topic, M message) throws Exception;
}
