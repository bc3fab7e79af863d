package io.fibry;

import java.util.Objects;

/** How many messages may wait for an actor, and what happens to one more. */
public sealed interface MailboxPolicy {
    /**
     * No bound. A sender that is faster than the actor fills the heap: prefer a bound where senders are
     * not under your control.
     *
     * @return the unbounded mailbox
     */
    static MailboxPolicy unbounded() {
        return Unbounded.INSTANCE;
    }

    /**
     * A bound on the messages that wait; the one being handled does not count.
     *
     * @param capacity how many may wait, at least one
     * @param overflow what happens to one more
     * @return the bounded mailbox
     */
    static Bounded bounded(int capacity, OverflowPolicy overflow) {
        return new Bounded(capacity, overflow, capacity);
    }

    /** No bound. */
    enum Unbounded implements MailboxPolicy {
        /** The one value. */
        INSTANCE
    }

    /**
     * A bound.
     *
     * @param capacity how many messages may wait
     * @param overflow what happens to one more
     * @param highWater the depth that is reported as an {@link io.fibry.event.HighWater} event
     */
    record Bounded(int capacity, OverflowPolicy overflow, int highWater) implements MailboxPolicy {
        /**
         * Checks the numbers.
         *
         * @param capacity at least one
         * @param overflow not null
         * @param highWater from one to the capacity
         */
        public Bounded {
            Objects.requireNonNull(overflow, "overflow");
            if (capacity < 1) {
                throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
            }
            if (highWater < 1 || highWater > capacity) {
                throw new IllegalArgumentException(
                        "highWater must be from 1 to the capacity of " + capacity + ": " + highWater);
            }
        }

        /**
         * The same mailbox that reports another depth.
         *
         * @param depth from one to the capacity; the capacity is the default
         * @return the mailbox policy
         */
        public Bounded highWater(int depth) {
            return new Bounded(capacity, overflow, depth);
        }
    }
}
