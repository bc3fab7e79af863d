package io.fibry.topic;

import io.fibry.MailboxPolicy;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of one subscriber.
 *
 * @param name names the subscriber in reports; need not be unique
 * @param last whether the subscriber gets the last message of the topic first
 * @param mailbox how many messages may wait for the subscriber; empty for the mailbox of the topic's options, or, if the
 *     subscriber is an actor, for the mailbox of that actor alone
 */
public record SubscriberOptions(String name, boolean last, Optional<MailboxPolicy> mailbox) {
    private static final SubscriberOptions DEFAULTS =
            new SubscriberOptions("subscriber", false, Optional.empty());

    /**
     * Checks the name.
     *
     * @param name not blank
     * @param mailbox not null
     */
    public SubscriberOptions {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of a subscriber must not be blank: '" + name + "'");
        }
        Objects.requireNonNull(mailbox, "mailbox");
    }

    /**
     * Returns the options of a subscriber without a name, which gets the messages that are published from now on.
     *
     * @return the options
     */
    public static SubscriberOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the options of a subscriber with a name.
     *
     * @param name the name
     * @return the options
     */
    public static SubscriberOptions named(String name) {
        return DEFAULTS.withName(name);
    }

    /**
     * Returns the same options with another name.
     *
     * @param text the name, not blank
     * @return the new options
     */
    public SubscriberOptions withName(String text) {
        return new SubscriberOptions(text, last, mailbox);
    }

    /**
     * Returns the same options for a subscriber that first gets the last message of the topic, if there is one, and then
     * each message that is published later, without a gap. The topics must {@linkplain TopicOptions#keepingLast() keep}
     * their last messages.
     *
     * @return the new options
     */
    public SubscriberOptions withLast() {
        return new SubscriberOptions(name, true, mailbox);
    }

    /**
     * Returns the same options with a mailbox for this subscriber. If the subscriber is an actor, this mailbox stands
     * before its own: a publisher then does not wait for the actor, whatever the policy of the actor's own mailbox is.
     *
     * @param policy how many messages may wait, and what happens to one more
     * @return the new options
     */
    public SubscriberOptions withMailbox(MailboxPolicy policy) {
        return new SubscriberOptions(name, last, Optional.of(Objects.requireNonNull(policy, "policy")));
    }

    @Override
    public String toString() {
        return "SubscriberOptions[name=" + name + ", last=" + last
                + mailbox.map(policy -> ", mailbox=" + policy).orElse("") + "]";
    }
}
