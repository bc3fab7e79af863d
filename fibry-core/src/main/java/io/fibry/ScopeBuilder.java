package io.fibry;

import io.fibry.event.ActorListener;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasureOptions;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Configures a scope and opens it. Builders are immutable and thread-safe: each call returns another builder. */
public interface ScopeBuilder {
    /**
     * Returns a builder with another strategy for the actors that do not choose one themselves. The strategy decides
     * where they run.
     *
     * @param strategy the strategy
     * @return the new builder
     */
    ScopeBuilder strategy(CreationStrategy strategy);

    /**
     * Returns a builder with another mailbox policy for the actors that do not choose one themselves. The policy
     * decides how many messages may wait.
     *
     * @param policy the policy
     * @return the new builder
     */
    ScopeBuilder mailbox(MailboxPolicy policy);

    /**
     * Returns a builder with other limits. They limit how much the actors of the scope, and of the scopes inside it,
     * may have to do at a time.
     *
     * @param limits the limits; none by default
     * @return the new builder
     */
    ScopeBuilder limits(ScopeLimits limits);

    /**
     * Returns a builder with another watchdog. It looks from time to time at the actors of the scope, and at those of
     * the scopes inside it that have no watchdog of their own, and reports what takes too long. The watchdog needs one
     * platform thread, and ends with the scope.
     *
     * @param watchdog what to report; nothing by default
     * @return the new builder
     */
    ScopeBuilder watchdog(Watchdog watchdog);

    /**
     * Returns a builder whose scope is measured with the {@linkplain MeasureListener#options options} that the listener wishes.
     *
     * @param listener receives the measures
     * @return the new builder
     * @see #measures(MeasureListener, MeasureOptions)
     */
    ScopeBuilder measures(MeasureListener listener);

    /**
     * Returns a builder whose scope is measured. The listener gets the measures of the actors of the scope, and of
     * those of the scopes inside it that have no listener of their own. An actor that is measured is larger, and each
     * message to it takes longer, which matters if handlers do next to nothing.
     *
     * @param listener receives the measures
     * @param options what is measured
     * @return the new builder
     */
    ScopeBuilder measures(MeasureListener listener, MeasureOptions options);

    /**
     * Returns a builder with another failure policy for the actors that do not choose one themselves. The policy
     * decides what follows when a handler throws.
     *
     * @param policy the policy
     * @return the new builder
     */
    ScopeBuilder onFailure(FailurePolicy policy);

    /**
     * Returns a builder with one more listener. The listener gets all events of the scope from the start.
     *
     * @param listener the listener
     * @return the new builder
     */
    ScopeBuilder listener(ActorListener listener);

    /**
     * Returns a builder with one more carrier of context. The carrier captures context on the thread of the sender. The
     * context goes with each message to actors of the scope, and of the scopes inside it, and is restored while the
     * message is handled. In a scope without carriers, messages are neither larger nor slower.
     *
     * @param carrier the carrier, in addition to those of the scope around this one
     * @return the new builder
     */
    ScopeBuilder carry(ContextCarrier carrier);

    /**
     * Returns a builder that applies {@link ActorBuilder#around} to all actors of the scope and of the scopes inside it,
     * but not to those that the library makes for itself. The interceptors of a scope are around those of the scopes
     * inside it.
     *
     * @param interceptor the interceptor, inside those of the scope around this one
     * @return the new builder
     */
    ScopeBuilder around(Interceptor interceptor);

    /**
     * Returns a builder without what the scopes around this one set for the messages of their actors, as {@link
     * ActorBuilder#withoutDefaults} does. Call it first.
     *
     * @return the new builder
     */
    ScopeBuilder withoutDefaults();

    /**
     * Returns a builder that applies {@link ActorBuilder#ownStack} to all actors of the scope and of the scopes inside
     * it.
     *
     * @return the new builder
     */
    ScopeBuilder ownStack();

    /**
     * Returns a builder that puts the names of actors into the diagnostic context of the log, {@link org.slf4j.MDC},
     * under the key {@code actor}. The name of an actor of the scope, or of a scope inside it, is there while the code
     * of the actor runs, and hides what the context of a sender has under that key. It is put there before each
     * message, which takes some twenty nanoseconds with Logback. Without this method there is no cost.
     *
     * @return the new builder
     * @see ActorSystem#currentActor
     */
    ScopeBuilder nameActorsInMdc();

    /**
     * Returns a builder whose scope remembers where some messages to its actors were sent from. If such a message
     * fails, its {@link io.fibry.event.Failed} event has the {@linkplain io.fibry.event.Failed#sentFrom() site}, and so
     * has the line in the log. Scopes inside this one do the same by default.
     *
     * <p>To remember a site takes some microseconds. A message to a scope without this method costs nothing more; with it, each
     * message costs as much as with a {@linkplain #carry carrier}.
     *
     * @param oneOf of how many messages one is remembered: 1 for each message, 1,000 for one of a thousand
     * @return the new builder
     * @throws IllegalArgumentException if the number is less than one
     */
    ScopeBuilder senderSites(int oneOf);

    /**
     * Returns a builder with another source of time, for the clock and the timers of the scope.
     *
     * @param time the time source; the system's by default
     * @return the new builder
     */
    ScopeBuilder time(TimeSource time);

    /**
     * Returns a builder whose scope is closed when the JVM shuts down: after SIGTERM or Ctrl-C, after {@link
     * System#exit}, or after the end of the last thread that is no daemon. The JVM waits for the close, for at most
     * about the {@linkplain #closeTimeout close time-out} and one more second for handlers that must be interrupted.
     * The JVM refers to the scope until it is closed.
     *
     * @return the new builder
     */
    ScopeBuilder closeAtShutdown();

    /**
     * Returns a builder whose scope keeps the JVM running until it is closed. Neither virtual threads nor the platform
     * threads of the library do so; without this method, a program ends when its {@code main} returns. It takes one
     * platform thread, which does nothing.
     *
     * @return the new builder
     */
    ScopeBuilder keepJvmAlive();

    /**
     * Returns a builder with another source of randomness. The scope uses it for the pauses before restarts. Tests
     * replace it by a seeded source.
     *
     * @param random the source, thread-safe; the system's by default
     * @return the new builder
     */
    ScopeBuilder random(RandomGenerator random);

    /**
     * Returns a builder with another close time-out: how long {@link ActorScope#close()} lets actors handle the
     * messages that are queued.
     *
     * @param timeout the time; 30 seconds by default
     * @return the new builder
     */
    ScopeBuilder closeTimeout(Duration timeout);

    /**
     * Opens the scope.
     *
     * @return the scope
     * @throws IllegalStateException if the scope around it is closed
     */
    ActorScope open();
}
