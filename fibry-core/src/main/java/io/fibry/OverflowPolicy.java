package io.fibry;

import io.fibry.text.RecordText;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Says what a full mailbox does with one more message. */
public sealed interface OverflowPolicy {
    /**
     * The sender waits for room, without a limit. An actor that sends to itself, or that would close a
     * circle of waiting actors, is refused; it would wait for ever.
     *
     * @return the policy
     */
    static OverflowPolicy block() {
        return new Block(Optional.empty());
    }

    /**
     * The sender waits for room, up to a time limit. After that the message is refused.
     *
     * @param timeout how long the sender waits at most
     * @return the policy
     */
    static OverflowPolicy block(Duration timeout) {
        return new Block(Optional.of(Objects.requireNonNull(timeout, "timeout")));
    }

    /**
     * The new message is dropped.
     *
     * @return the policy
     */
    static OverflowPolicy dropNewest() {
        return new DropNewest();
    }

    /**
     * The message that has waited longest is dropped, and the new message is accepted.
     *
     * @return the policy
     */
    static OverflowPolicy dropOldest() {
        return new DropOldest();
    }

    /**
     * The new message is refused.
     *
     * @return the policy
     */
    static OverflowPolicy reject() {
        return new Reject();
    }

    /**
     * The new message is refused, and the sender gets a {@link MailboxFullException}.
     *
     * @return the policy
     */
    static OverflowPolicy fail() {
        return new Fail();
    }

    /**
     * The sender waits.
     *
     * @param timeout how long at most; empty for no limit
     */
    record Block(Optional<Duration> timeout) implements OverflowPolicy {
        /**
         * Checks the time.
         *
         * @param timeout not negative
         */
        public Block {
            Objects.requireNonNull(timeout, "timeout").ifPresent(t -> {
                if (t.isNegative()) {
                    throw new IllegalArgumentException("timeout must not be negative: " + t);
                }
            });
        }

        @Override
        public String toString() {
            return RecordText.of(this).with("timeout", timeout).toString();
        }
    }

    /** The new message is dropped. */
    record DropNewest() implements OverflowPolicy {
    }

    /** The oldest waiting message is dropped. */
    record DropOldest() implements OverflowPolicy {
    }

    /** The new message is refused. */
    record Reject() implements OverflowPolicy {
    }

    /** The sender gets an exception. */
    record Fail() implements OverflowPolicy {
    }
}
