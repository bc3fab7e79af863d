package io.fibry;

import io.fibry.event.ActorListener;
import io.fibry.internal.actor.Current;
import io.fibry.internal.engine.RootScope;
import io.fibry.time.Cancellable;
import io.fibry.time.Scheduler;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The front door: makes and finds actors in the root scope, which is never closed. Use an
 * {@link ActorScope} for actors that are to end together. Thread-safe.
 */
public final class ActorSystem {
    private ActorSystem() {
    }

    /**
     * Says how the root scope is to be: the mailbox, strategy and failure policy of actors that say nothing else, also in
     * scopes that say nothing else, its listeners, limits, watchdog, carriers and clock. Before the root scope is used, which
     * is when the first actor or scope is made, or a listener or carrier added; more than once, if need be: the second call
     * goes on where the first one ended.
     *
     * <pre>{@code
     * ActorSystem.configure(root -> root.mailbox(MailboxPolicy.bounded(10_000, OverflowPolicy.block(Duration.ofSeconds(1))))
     *         .watchdog(Watchdog.none().stuckAfter(Duration.ofSeconds(30))));
     * }</pre>
     *
     * <p>With a watchdog the root scope knows its actors, weakly, as any other scope does; without, an actor without a name
     * there is nothing but one small object.
     *
     * @param change takes the configuration so far, and returns another one
     * @throws IllegalStateException if the root scope is in use
     * @throws IllegalArgumentException if it is to be closed at some time: it never is
     */
    public static void configure(UnaryOperator<ScopeBuilder> change) {
        RootScope.configureRoot(change);
    }

    /**
     * A builder for actors without a name.
     *
     * @return the builder
     */
    public static ActorBuilder anonymous() {
        return RootScope.root().anonymous();
    }

    /**
     * A builder for an actor with a name. Names are unique in the root scope while the actor lives.
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
     * @param <M> type of the messages, as the caller claims
     * @param <R> type of the answers, as the caller claims
     * @param name the name
     * @return the actor, if there is one
     * @see ActorScope#find
     */
    public static <M, R extends @Nullable Object> Optional<Actor<M, R>> find(String name) {
        return RootScope.root().find(name);
    }

    /**
     * Finds an actor of the root scope by its name, or makes it, in one atomic step.
     *
     * @param <M> type of the messages, as the caller claims if there is one
     * @param <R> type of the answers, as the caller claims if there is one
     * @param name the name, which must not be blank
     * @param maker makes the actor with the builder that it is given, which has the name
     * @return the actor
     * @see ActorScope#findOrMake
     */
    public static <M, R extends @Nullable Object> Actor<M, R> findOrMake(String name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        return RootScope.root().findOrMake(name, maker);
    }

    /**
     * The names that actors of the root scope have at the moment, in alphabetical order.
     *
     * @return the names; they do not change any more
     * @see ActorScope#names
     */
    public static SortedSet<String> names() {
        return RootScope.root().names();
    }

    /**
     * Sends a message to a name of the root scope, also before there is an actor of that name.
     *
     * @param name the name
     * @param message the message
     * @param absent what to do if there is no actor of that name
     * @return true if it was accepted or kept
     * @see ActorScope#sendMessage
     */
    public static boolean sendMessage(String name, Object message, WhenAbsent absent) {
        return RootScope.root().sendMessage(name, message, absent);
    }

    /**
     * The name of the actor whose code the calling thread runs: its handler or body, code given to {@code execute} and its
     * kin, its exit hooks, what makes its state. Where an actor runs on the stack of another one it is the upper one's. For
     * formatters of logs, listeners, and one's own reports; it takes some nanoseconds, and a few more for an actor
     * without a name, which has a made-up one. A thread that its actor has {@linkplain ActorBuilder#abandonStuck abandoned}
     * still has the name.
     *
     * @return the name; empty on a thread that runs no actor
     */
    public static Optional<String> currentActor() {
        return Optional.ofNullable(Current.actor());
    }

    /**
     * Lets things happen later, by the system's clock. What it starts belongs to the root scope.
     *
     * @return the scheduler
     */
    public static Scheduler scheduler() {
        return RootScope.root().scheduler();
    }

    /**
     * Hears what happens in all scopes.
     *
     * @param listener the listener
     * @return cancels the listening
     */
    public static Cancellable listen(ActorListener listener) {
        return RootScope.root().listen(listener);
    }

    /**
     * Adds a carrier of context for actors of the root scope, and scopes inside it, that are made from now on.
     *
     * @param carrier the carrier
     * @return takes it away again, for those made after that
     * @see ScopeBuilder#carry
     */
    public static Cancellable carry(ContextCarrier carrier) {
        return RootScope.root().carry(carrier);
    }

    /**
     * What became of all messages offered to actors of the root scope.
     *
     * @return the numbers
     */
    public static Counters counters() {
        return RootScope.root().counters();
    }

    /**
     * The strategy of actors that say nothing else, in scopes that say nothing else. It is
     * {@link CreationStrategy#fibers()} unless the system property {@code io.fibry.strategy} says
     * {@code threads}, {@code caller} or {@code pool}, or {@link #setDefaultStrategy} was called.
     *
     * @return the strategy
     */
    public static CreationStrategy defaultStrategy() {
        return RootScope.defaultStrategy();
    }

    /**
     * Sets the strategy of actors that say nothing else. It is for those made after the call.
     *
     * @param strategy the strategy
     */
    public static void setDefaultStrategy(CreationStrategy strategy) {
        RootScope.setDefaultStrategy(strategy);
    }
}
