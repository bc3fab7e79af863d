package io.fibry.topic;

import io.fibry.Counters;
import io.fibry.message.MessageFate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A subscription as topics see it. */
abstract sealed class Subscriber<M> implements Subscription permits DirectSubscriber, QueuedSubscriber {
    final DeliveryTally tally;
    final SubscriberSet<M> owner;
    private final String source;
    private final String name;
    private final AtomicBoolean active = new AtomicBoolean(true);
    /** Guarded by the lock of the topics. */
    private boolean attached;
    /** What is in the sum of the owner already; guarded by the lock of the topics. */
    private Counters inSum = new Counters(0, 0, 0, 0, 0, 0);

    Subscriber(SubscriberSet<M> owner, String source, String name, DeliveryTally tally) {
        this.tally = tally;
        this.owner = owner;
        this.source = source;
        this.name = name;
    }

    /**
     * Offers a message.
     *
     * @return whether it was taken
     * @throws io.fibry.MailboxFullException if the policy is to fail
     */
    abstract boolean offer(String topic, M message);

    abstract CompletableFuture<MessageFate> offerTracked(TopicMessage<M> message);

    /** {@return whether an offer may wait; those that do not wait are served first} */
    abstract boolean canBlock();

    /** Called once, when the subscription was closed and gets no further message. */
    abstract void release();

    /** Called under the lock of the topics. Returns whether this is the first call, and the subscription has not ended. */
    final boolean becomesAttached() {
        // mutant: subscriber-is-attached-twice
        if (attached || !isOpen()) {
            return false;
        }
        attached = true;
        return true;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String source() {
        return source;
    }

    /** {@return whether the end has not been noted} It is noted a moment after the end of the actor, by a callback. */
    final boolean isOpen() {
        return active.get();
    }

    /** {@return whether the actor has stopped that gets the messages} */
    abstract boolean hasStopped();

    @Override
    public final boolean isActive() {
        // mutant: stopped-subscriber-is-still-active
        return isOpen() && !hasStopped();
    }

    @Override
    public final void close() {
        if (active.compareAndSet(true, false)) {
            owner.detach(this);
            release();
        }
    }

    /** Called when no message for it will be counted any more. */
    final void retire() {
        active.set(false);
        owner.detach(this);
        countUnbegun();
        owner.forget(this);
    }

    /** Called under the lock of the topics, when the owner does not know this subscriber any more. */
    final Counters notYetInSum() {
        var before = inSum;
        inSum = counters();
        return DeliveryTally.difference(inSum, before);
    }

    /** Called after something was counted: the owner may have made its sum before. */
    final void settleIfEnded() {
        if (!isOpen()) {
            owner.settle(this);
        }
    }

    /** Called when no message is handled any more. Counts the messages with which the subscription was to begin. */
    void countUnbegun() {
    }

    @Override
    public Counters counters() {
        return tally.counters();
    }

    @Override
    public String toString() {
        return "Subscription[" + name + (isActive() ? "" : ", ended") + "]";
    }
}
