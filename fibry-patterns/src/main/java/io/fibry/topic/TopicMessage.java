package io.fibry.topic;

import io.fibry.message.Envelope;
import java.util.Objects;
import java.util.Optional;

/**
 * A message with the name of its topic, as it waits for a subscriber of several topics. Reports of such a subscriber show
 * it.
 *
 * @param <M> type of the messages
 * @param topic the name of the topic
 * @param content the message
 */
record TopicMessage<M>(String topic, M content) implements Envelope {
    /**
     * Makes a message with the name of its topic.
     *
     * @param topic the name of the topic
     * @param content the message
     */
    TopicMessage {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(content, "content");
    }

    @Override
    public Optional<String> about() {
        return Optional.of(topic);
    }
}
