package io.fibry.topic;

import io.fibry.message.MessageFate;
import java.util.Map;
import java.util.Objects;

/**
 * The fates of one message that was published.
 *
 * @param topic the name of the topic
 * @param fates the fate of the message for each subscriber, by the {@linkplain Subscription#name() name} of the
 *     subscription. For an actor whose subscription has a mailbox, the message is handled when it was passed on to the
 *     actor.
 */
public record Publication(String topic, Map<String, MessageFate> fates) {
    /**
     * Makes a result.
     *
     * @param topic the name of the topic
     * @param fates is copied
     */
    public Publication {
        Objects.requireNonNull(topic, "topic");
        fates = Map.copyOf(fates);
    }

    /**
     * Returns how many subscribers were to get the message.
     *
     * @return the number
     */
    public int subscribers() {
        return fates.size();
    }

    /**
     * Returns how many subscribers have handled the message.
     *
     * @return the number
     */
    public int handled() {
        return (int) fates.values().stream().filter(MessageFate::isHandled).count();
    }

    /**
     * Tells whether all subscribers have handled the message.
     *
     * @return true if none has failed, and none did not get the message; also if there was no subscriber
     */
    public boolean isHandledByAll() {
        return handled() == subscribers();
    }

    @Override
    public String toString() {
        return "Publication[topic=" + topic + ", subscribers=" + subscribers() + ", handled=" + handled()
                + "]";
    }
}
