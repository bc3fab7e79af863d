package io.fibry.topic;

import io.fibry.Counters;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The subscribers of one topic by its name, or those of all patterns, for what is counted. A subscriber is here until its
 * actor has stopped; what was counted for it until then stays in the sum.
 */
abstract class SubscriberSet<M> {
    /** What became of the messages for subscribers that have ended, and of messages that no subscriber got. */
    final DeliveryTally past = new DeliveryTally();
    /**
     * Guards the subscriptions of all topics of a set. No user code runs under it; a publisher to an open topic
     * does not take it.
     */
    final ReentrantLock lock;
    /** Guarded by the lock. */
    private final Set<Subscriber<M>> present = new HashSet<>();

    SubscriberSet(ReentrantLock lock) {
        this.lock = lock;
    }

    /** Ends the delivery to a subscriber. */
    abstract void detach(Subscriber<M> subscriber);

    final void remember(Subscriber<M> subscriber) {
        lock.lock();
        try {
            present.add(subscriber);
        } finally {
            lock.unlock();
        }
    }

    final void forget(Subscriber<M> subscriber) {
        lock.lock();
        try {
            if (present.remove(subscriber)) {
                addPast(subscriber.notYetInSum());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called when something was counted for a subscriber that has ended and may not be here any more. */
    final void settle(Subscriber<M> subscriber) {
        lock.lock();
        try {
            // mutant: late-fate-is-not-in-the-sum
            if (!present.contains(subscriber)) {
                addPast(subscriber.notYetInSum());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called under the lock. */
    void addPast(Counters counters) {
        past.add(counters);
    }

    /** {@return those that are here, as a copy} */
    final Set<Subscriber<M>> present() {
        lock.lock();
        try {
            return Set.copyOf(present);
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many of them have not ended} */
    final int active() {
        return (int) present().stream().filter(Subscriber::isActive).count();
    }

    final Counters counted() {
        lock.lock();
        try {
            var sum = past.counters();
            for (var subscriber : present) {
                sum = DeliveryTally.sum(sum, subscriber.counters());
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }
}
