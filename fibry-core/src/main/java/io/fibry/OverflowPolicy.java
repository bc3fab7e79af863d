package io.fibry;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Determines what a full mailbox does with one more message. */
public sealed interface OverflowPolicy {
    /**
     * Returns the policy that makes the sender wait for space, without a limit. An actor that sends to itself, or that
     * would close a circle of waiting actors, is refused, because it would wait for ever.
     *
     * @return the policy
     */
    static OverflowPolicy block() {
        return new Block(Optional.empty());
    }

    /**
     * Returns the policy that makes the sender wait for space, up to a time limit. After that the message is refused.
     *
     * @param timeout how long the sender waits at most
     * @return the policy
     */
    static OverflowPolicy block(Duration timeout) {
        return new Block(Optional.of(Objects.requireNonNull(timeout, "timeout")));
    }

    /**
     * Returns the policy that drops the new message.
     *
     * @return the policy
     */
    static OverflowPolicy dropNewest() {
        return new DropNewest();
    }

    /**
     * Returns the policy that drops the message that has waited longest, and accepts the new one.
     *
     * @return the policy
     */
    static OverflowPolicy dropOldest() {
        return new DropOldest();
    }

    /**
     * Returns the policy that refuses the new message.
     *
     * @return the policy
     */
    static OverflowPolicy reject() {
        return new Reject();
    }

    /**
     * Returns the policy that refuses the new message by an exception: the sender gets a {@link MailboxFullException}.
     *
     * @return the policy
     */
    static OverflowPolicy fail() {
        return new Fail();
    }

    /**
     * The sender waits for space.
     *
     * @param timeout how long the sender waits at most; empty for no limit
     */
    record Block(Optional<Duration> timeout) implements OverflowPolicy {
        /**
         * Checks the time.
         *
         * @param timeout not negative
         */
        public Block {
            if (Objects.requireNonNull(timeout, "timeout").isPresent() && timeout.get().isNegative()) {
                throw new IllegalArgumentException("timeout must not be negative: " + timeout.get());
            }
        }

        @Override
        public String toString() {
            return timeout.map(time -> "Block[timeout=" + time + "]").orElse("Block[]");
        }
    }

    /** The new message is dropped. */
    record DropNewest() implements OverflowPolicy {
    }

    /** The message that has waited longest is dropped. */
    record DropOldest() implements OverflowPolicy {
    }

    /** The new message is refused. */
    record Reject() implements OverflowPolicy {
    }

    /** The sender gets an exception. */
    record Fail() implements OverflowPolicy {
    }
}
