package io.fibry.topic;

import io.fibry.ActorStoppedException;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import io.fibry.message.MessageFate;
import java.util.Optional;

/**
 * A message with the name of its topic, as it waits for a subscriber of several topics, or for one whose publisher
 * wants to know its fate. Reports show it. After the end of a subscription its actor passes a message over, which is no
 * fate that the actor knows.
 */
final class TopicMessage<M> implements Envelope {
    private final String topic;
    private final M content;
    /** Set by the actor of the subscriber, before it completes the fate. */
    private volatile boolean passedOver;

    TopicMessage(String topic, M content) {
        this.topic = topic;
        this.content = content;
    }

    String topic() {
        return topic;
    }

    @Override
    public M content() {
        return content;
    }

    @Override
    public Optional<String> about() {
        return Optional.of(topic);
    }

    void passOver() {
        passedOver = true;
    }

    MessageFate fate(MessageFate ofActor, String subscription) {
        return passedOver ? ended(subscription) : ofActor;
    }

    static MessageFate ended(String subscription) {
        return new MessageFate.Undelivered(Undelivered.Cause.STOPPED_BEFORE_TURN,
                new ActorStoppedException("the subscription '" + subscription
                        + "' ended before its handler got the message"));
    }
}
