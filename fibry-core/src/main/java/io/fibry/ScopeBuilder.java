package io.fibry;

import io.fibry.event.ActorListener;
import io.fibry.time.TimeSource;
import java.time.Duration;

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
     * The clock and timers of the scope.
     *
     * @param time the time source; the system's by default
     * @return the builder that says so
     */
    ScopeBuilder time(TimeSource time);

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
