package io.fibry;

import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.TimeLimit;
import io.fibry.internal.engine.RootScope;
import io.fibry.time.Cancellable;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes and finds actors in the root scope, which is never closed. Programs use an {@link ActorScope} for actors that
 * end together. This class is thread-safe.
 */
public final class ActorSystem {
    private ActorSystem() {
    }

    /**
     * Configures the root scope: the mailbox, strategy and failure policy of all actors that do not choose one
     * themselves and whose scopes do not choose one either, and the listeners, limits, watchdog, carriers and clock of
     * the root scope. The method must be called before the root scope is used. The first actor, scope, listener or
     * carrier uses it. If the method is called more than once, each call continues with the configuration of the call
     * before it.
     *
     * <pre>{@code
     * ActorSystem.configure(root -> root.mailbox(MailboxPolicy.bounded(10_000,
     * OverflowPolicy.block(Duration.ofSeconds(1))))
     *         .watchdog(Watchdog.none().stuckAfter(Duration.ofSeconds(30))));
     * }</pre>
     *
     * <p>With a watchdog, the root scope refers to its actors weakly, as any other scope does. Without a watchdog, an
     * actor without a name in the root scope is nothing but one small object.
     *
     * @param change takes the configuration so far and returns a new one
     * @throws IllegalStateException if the root scope is in use
     * @throws IllegalArgumentException if the configuration closes the root scope at some time, since the root scope is
     *     never closed
     */
    public static void configure(UnaryOperator<ScopeBuilder> change) {
        RootScope.configureRoot(change);
    }

    /**
     * Returns a builder of actors without a name.
     *
     * @return the builder
     */
    public static ActorBuilder anonymous() {
        return RootScope.root().anonymous();
    }

    /**
     * Returns a builder of an actor with a name. A name is unique in the root scope while the actor lives.
     *
     * @param name the name
     * @return the builder
     */
    public static ActorBuilder named(String name) {
        return RootScope.root().named(name);
    }

    /**
     * Finds an actor of the root scope by its name.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @return the actor, or an empty optional if there is none of that name
     * @see ActorScope#find(ActorName)
     */
    public static <M, R extends @Nullable Object> Optional<Actor<M, R>> find(ActorName<M, R> name) {
        return RootScope.root().find(name);
    }

    /**
     * Returns the root scope, for all else that a scope does. It cannot be closed.
     *
     * @return the root scope
     */
    public static ActorScope root() {
        return RootScope.root();
    }

    /**
     * Opens a scope with the defaults of the root scope.
     *
     * @param name the name of the scope in reports
     * @return the scope
     */
    public static ActorScope open(String name) {
        return configure(name).open();
    }

    /**
     * Returns a builder of a scope with the defaults of the root scope.
     *
     * @param name the name of the scope in reports
     * @return the builder
     */
    public static ScopeBuilder configure(String name) {
        return RootScope.root().child(name);
    }

    /**
     * Returns the name of the actor whose code the calling thread runs: its handler or body, code that was given to
     * {@code execute} or a similar method, its exit hooks, or the supplier of its state. If an actor runs on the stack
     * of another one, the name is that of the upper actor. The method is meant for the formatters of logs, for
     * listeners and for reports. It takes some three nanoseconds, and some thirty for an actor without a name, for which
     * it makes up a name. A thread that its actor has {@linkplain ActorBuilder#abandonStuck abandoned} still has the
     * name.
     *
     * @return the name, or an empty optional if the thread runs no actor
     */
    public static Optional<String> currentActor() {
        return Optional.ofNullable(Current.actor());
    }

    /**
     * Returns how much time is left for the handler that the calling thread runs, if that works on an ask with a time limit.
     * It is the same as {@link ActorContext#timeLeft()}, for code that has no context.
     *
     * @return the time left, zero if it is over; empty if there is no limit, or if the thread runs no handler
     */
    public static Optional<Duration> timeLeft() {
        return TimeLimit.timeLeft();
    }

    /**
     * Adds a carrier of context for the actors that are made from now on in the root scope and in the scopes inside it.
     *
     * @param carrier the carrier
     * @return an object that removes the carrier, for the actors that are made after that
     * @see ScopeBuilder#carry
     */
    public static Cancellable carry(ContextCarrier carrier) {
        return RootScope.root().carry(carrier);
    }

    /**
     * Returns the strategy of actors that do not choose one themselves and whose scopes do not choose one either. It is
     * {@link CreationStrategy#fibers()} unless the system property {@code io.fibry.strategy} is {@code threads}, {@code
     * caller} or {@code pool}, or {@link #setDefaultStrategy} was called.
     *
     * @return the strategy
     */
    public static CreationStrategy defaultStrategy() {
        return RootScope.defaultStrategy();
    }

    /**
     * Sets the strategy of actors that do not choose one themselves and whose scopes do not choose one either. It
     * applies to the actors that are made after the call.
     *
     * @param strategy the strategy
     */
    public static void setDefaultStrategy(CreationStrategy strategy) {
        RootScope.setDefaultStrategy(strategy);
    }
}
