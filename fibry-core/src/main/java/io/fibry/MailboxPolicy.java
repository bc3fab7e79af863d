package io.fibry;

import java.util.Objects;

/** Determines how many messages may wait for an actor, and what happens to one more. */
public sealed interface MailboxPolicy {
    /**
     * Returns a mailbox without a bound. A sender that is faster than the actor fills the heap, so a bound is better
     * where the senders are not under the program's control.
     *
     * @return the unbounded mailbox
     */
    static MailboxPolicy unbounded() {
        return Unbounded.INSTANCE;
    }

    /**
     * Returns a mailbox with a bound on the messages that wait. The message that is being handled does not count.
     *
     * @param capacity how many may wait, at least one
     * @param overflow what happens to one more
     * @return the bounded mailbox
     */
    static Bounded bounded(int capacity, OverflowPolicy overflow) {
        return new Bounded(capacity, overflow, capacity);
    }

    /** A mailbox without a bound. */
    enum Unbounded implements MailboxPolicy {
        /** The one value. */
        INSTANCE;

        /**
         * Returns what errors say of such a mailbox.
         *
         * @return "unbounded"
         */
        @Override
        public String toString() {
            return "unbounded";
        }
    }

    /**
     * A mailbox with a bound.
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
         * Returns the same mailbox with another depth that is reported.
         *
         * @param depth from one to the capacity; the capacity is the default. A mailbox whose senders wait for room ({@link
         *     OverflowPolicy#block()}) is logged as a warning only if the mark is below its capacity
         * @return the mailbox policy
         */
        public Bounded highWater(int depth) {
            return new Bounded(capacity, overflow, depth);
        }
    }
}
