package io.fibry;

import io.fibry.text.RecordText;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * How much a scope, with the scopes inside it, may have to do at a time. A message or ask that exceeds a limit is refused
 * at once, unless the {@linkplain #overflow(OverflowPolicy) policy} says otherwise: {@code sendMessage} returns false, an
 * ask fails with a {@link MailboxFullException}. That is decided before any thread is started for it. A scope inside
 * another one counts for its own limits and for the other's; what comes of a message is said by the scope whose limit it
 * would exceed. Timers' messages and messages kept for a name are not counted.
 *
 * <p>Immutable and thread-safe: each call returns another one.
 *
 * @param waiting how many messages may wait for its actors; the one that an actor or a worker handles does not wait
 * @param asks how many asks may be without an answer; those that a receiving actor has taken do not count any more
 * @param running how many turns of actors and workers may run at a time; the others wait and hold no thread. An actor
 *     that waits for something in its handler still counts: actors that wait for each other need enough places. So does
 *     the worker of a TCP connection while it reads; what servers do besides, and an HTTP request apart from its handler,
 *     does not
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
     * @param overflow a policy for scopes, see {@link #overflow(OverflowPolicy)}
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
     * No limits.
     *
     * @return the limits
     */
    public static ScopeLimits none() {
        return new ScopeLimits(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(),
                OverflowPolicy.reject());
    }

    /**
     * The same with another limit of messages that wait.
     *
     * @param most at least one
     * @return the limits
     */
    public ScopeLimits waiting(int most) {
        return new ScopeLimits(OptionalInt.of(most), asks, running, overflow);
    }

    /**
     * The same with another limit of asks without an answer.
     *
     * @param most at least one
     * @return the limits
     */
    public ScopeLimits asks(int most) {
        return new ScopeLimits(waiting, OptionalInt.of(most), running, overflow);
    }

    /**
     * The same with another limit of turns that run.
     *
     * @param most at least one
     * @return the limits
     */
    public ScopeLimits running(int most) {
        return new ScopeLimits(waiting, asks, OptionalInt.of(most), overflow);
    }

    /**
     * The same with another policy for messages and asks that exceed a limit.
     *
     * <ul>
     * <li>{@link OverflowPolicy#reject()}, the default: refused.
     * <li>{@link OverflowPolicy#fail()}: refused by an exception thrown to the sender.
     * <li>{@link OverflowPolicy#dropNewest()}: dropped, which is what it counts as.
     * <li>{@link OverflowPolicy#block(java.time.Duration)}: the sender waits for room. Actors of the scope, and of scopes
     *     inside it, do not: they might be the ones that have to make room, and are refused at once. An actor on a
     *     bounded pool that waits says so as a {@link io.fibry.event.PoolThreadBlocked} event.
     * </ul>
     *
     * <p>Turns beyond {@code running} wait in any case: their messages were accepted before.
     *
     * @param policy the policy; neither {@code dropOldest()}, as the messages of a scope are in no common order, nor
     *     {@code block()} without a limit, as a circle of waiting actors would wait for ever
     * @return the limits
     */
    public ScopeLimits overflow(OverflowPolicy policy) {
        return new ScopeLimits(waiting, asks, running, policy);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("waiting", waiting).with("asks", asks).with("running", running)
                .with("overflow", overflow).toString();
    }
}
