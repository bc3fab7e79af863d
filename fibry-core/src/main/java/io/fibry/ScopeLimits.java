package io.fibry;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * Limits how much a scope, with the scopes inside it, may have to do at a time. A message or an ask that exceeds a
 * limit is refused at once, unless the {@linkplain #overflow(OverflowPolicy) policy} is another one: {@code
 * sendMessage} returns false, and an ask fails with a {@link MailboxFullException}. This is decided before any thread
 * is started for the message. A message to a scope inside another scope counts for the limits of both. The policy of
 * the scope whose limit would be exceeded decides about the message. The messages of timers, and messages that are kept
 * for a name, do not count.
 *
 * <p>Objects of this class are immutable and thread-safe: each call returns another one.
 *
 * @param waiting how many messages may wait for the actors; a message that an actor or a worker handles does not wait
 * @param asks how many asks may be without an answer; an ask that a receiving actor has taken does not count any more,
 *        nor does one whose reply was deferred
 * @param running how many turns of actors and workers may run at a time; the others wait and hold no thread. An actor
 *     that waits for something in its handler still counts, so actors that wait for each other need enough places. The
 *     worker of a TCP connection counts too while it reads. The other work of servers does not count, and of an HTTP
 *     request only the handler counts
 * @param overflow what happens to a message or ask that exceeds a limit
 */
public record ScopeLimits(OptionalInt waiting, OptionalInt asks, OptionalInt running,
        OverflowPolicy overflow) {
    /**
     * Checks the numbers and the policy.
     *
     * @param waiting at least one
     * @param asks at least one
     * @param running at least one
     * @param overflow a policy for scopes; see {@link #overflow(OverflowPolicy)}
     */
    public ScopeLimits {
        Objects.requireNonNull(waiting, "waiting");
        Objects.requireNonNull(asks, "asks");
        Objects.requireNonNull(running, "running");
        Objects.requireNonNull(overflow, "overflow");
        check("waiting", waiting);
        check("asks", asks);
        check("running", running);
        check(overflow);
    }

    private static void check(OverflowPolicy overflow) {
        if (overflow instanceof OverflowPolicy.DropOldest) {
            throw new IllegalArgumentException(
                    "a scope cannot drop its oldest message: its messages wait in the mailboxes"
                            + " of many actors, in no common order; use reject(), fail(), dropNewest() or block(timeout),"
                            + " or give the actors bounded mailboxes with dropOldest()");
        }
        if (overflow instanceof OverflowPolicy.Block block && block.timeout().isEmpty()) {
            throw new IllegalArgumentException(
                    "a sender cannot wait for room in a scope without a limit: any actor of it"
                            + " may make room, so circles of waiting actors cannot be found; use block(timeout)");
        }
    }

    private static void check(String what, OptionalInt limit) {
        if (limit.isPresent() && limit.getAsInt() < 1) {
            throw new IllegalArgumentException(what + " must be at least 1: " + limit.getAsInt());
        }
    }

    /**
     * Returns an object without limits.
     *
     * @return the limits
     */
    public static ScopeLimits none() {
        return new ScopeLimits(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(),
                OverflowPolicy.reject());
    }

    /**
     * Returns the same limits with another limit of messages that wait.
     *
     * @param most the limit, at least one
     * @return the new limits
     */
    public ScopeLimits waiting(int most) {
        return new ScopeLimits(OptionalInt.of(most), asks, running, overflow);
    }

    /**
     * Returns the same limits with another limit of asks without an answer.
     *
     * @param most the limit, at least one
     * @return the new limits
     */
    public ScopeLimits asks(int most) {
        return new ScopeLimits(waiting, OptionalInt.of(most), running, overflow);
    }

    /**
     * Returns the same limits with another limit of turns that run.
     *
     * @param most the limit, at least one
     * @return the new limits
     */
    public ScopeLimits running(int most) {
        return new ScopeLimits(waiting, asks, OptionalInt.of(most), overflow);
    }

    /**
     * Returns the same limits with another policy for messages and asks that exceed a limit.
     *
     * <ul>
     * <li>{@link OverflowPolicy#reject()}, the default: the message is refused.
     * <li>{@link OverflowPolicy#fail()}: the message is refused, and the sender gets an exception.
     * <li>{@link OverflowPolicy#dropNewest()}: the message is dropped, and is counted as dropped.
     * <li>{@link OverflowPolicy#block(java.time.Duration)}: the sender waits for space. Actors of the scope, and of
     *     scopes inside it, do not wait and are refused at once, since they might be the ones that have to make space.
     * </ul>
     *
     * <p>Turns beyond {@code running} always wait, since their messages were accepted before.
     *
     * @param policy the policy; not {@code dropOldest()}, because the messages of a scope have no common order, and not
     *     {@code block()} without a limit, because a circle of waiting actors would wait for ever
     * @return the new limits
     */
    public ScopeLimits overflow(OverflowPolicy policy) {
        return new ScopeLimits(waiting, asks, running, policy);
    }
}
