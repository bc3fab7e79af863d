package io.fibry;

import io.fibry.event.ActorListener;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Says how a scope is to be, and opens it. Immutable and thread-safe: each call returns another one. */
public interface ScopeBuilder {
    /**
     * Where its actors run, unless they say otherwise.
     *
     * @param strategy the strategy
     * @return the builder that says so
     */
    ScopeBuilder strategy(CreationStrategy strategy);

    /**
     * How many messages may wait for its actors, unless they say otherwise.
     *
     * @param policy the policy
     * @return the builder that says so
     */
    ScopeBuilder mailbox(MailboxPolicy policy);

    /**
     * How much its actors, and those of scopes inside it, may have to do at a time.
     *
     * @param limits the limits; none by default
     * @return the builder that says so
     */
    ScopeBuilder limits(ScopeLimits limits);

    /**
     * Has its actors, and those of scopes inside it that have no watchdog of their own, looked at from time to time: what
     * takes too long is reported. It takes a platform thread, and ends with the scope.
     *
     * @param watchdog what to report; nothing by default
     * @return the builder that says so
     */
    ScopeBuilder watchdog(Watchdog watchdog);

    /**
     * What follows when a handler throws, unless the actor says otherwise.
     *
     * @param policy the policy
     * @return the builder that says so
     */
    ScopeBuilder onFailure(FailurePolicy policy);

    /**
     * Adds a listener that hears everything from the start.
     *
     * @param listener the listener
     * @return the builder that says so
     */
    ScopeBuilder listener(ActorListener listener);

    /**
     * Adds a carrier of context: what it finds on a sender's thread goes with each message to actors of the scope,
     * and of scopes inside it, and is there while the message is handled. A scope without carriers has messages
     * that are no larger or slower for it.
     *
     * @param carrier the carrier, beside those of the scope around this one
     * @return the builder that says so
     */
    ScopeBuilder carry(ContextCarrier carrier);

    /**
     * As {@link ActorBuilder#ownStack}, for all its actors and those of scopes inside it.
     *
     * @return the builder that says so
     */
    ScopeBuilder ownStack();

    /**
     * Puts the name of each actor of the scope, and of scopes inside it, into the diagnostic context of the log,
     * {@link org.slf4j.MDC}, under the key {@code actor}, while its code runs; whatever a sender's context has under
     * that key. It is put there before each message, which takes about as long as {@code MDC.put} does: with Logback some
     * fifty nanoseconds. Without it that costs nothing.
     *
     * @return the builder that says so
     * @see ActorSystem#currentActor
     */
    ScopeBuilder nameActorsInMdc();

    /**
     * The clock and timers of the scope.
     *
     * @param time the time source; the system's by default
     * @return the builder that says so
     */
    ScopeBuilder time(TimeSource time);

    /**
     * Closes the scope when the JVM shuts down: after SIGTERM or Ctrl-C, {@link System#exit}, or the end of the last
     * thread that is no daemon. The JVM waits for that, at most about the {@linkplain #closeTimeout close time-out} and
     * a second for handlers that must be interrupted. The scope is remembered by the JVM until it is closed.
     *
     * @return the builder that says so
     */
    ScopeBuilder closeAtShutdown();

    /**
     * Keeps the JVM running until the scope is closed: neither virtual threads nor the library's platform threads do,
     * so a program whose {@code main} returns would end. It takes one platform thread, which does nothing.
     *
     * @return the builder that says so
     */
    ScopeBuilder keepJvmAlive();

    /**
     * Where the scope takes its randomness from, for pauses before restarts. Tests put a seeded one in its place.
     *
     * @param random the source, thread-safe; the system's by default
     * @return the builder that says so
     */
    ScopeBuilder random(RandomGenerator random);

    /**
     * How long {@link ActorScope#close()} lets actors handle what is queued.
     *
     * @param timeout the time; 30 seconds by default
     * @return the builder that says so
     */
    ScopeBuilder closeTimeout(Duration timeout);

    /**
     * Opens the scope.
     *
     * @return the scope
     * @throws IllegalStateException if the scope it is to be inside of is closed
     */
    ActorScope open();
}
