package io.fibry;

import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.event.ActorListener;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Deadlines;
import io.fibry.internal.engine.RootScope;
import io.fibry.time.Cancellable;
import io.fibry.time.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
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
     * @param <M> type of the messages, as the caller claims
     * @param <R> type of the answers, as the caller claims
     * @param name the name
     * @return the actor, or an empty optional if there is none of that name
     * @see ActorScope#find(String)
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
     * @param maker makes the actor with the given builder, which has the name
     * @return the actor
     * @see ActorScope#findOrMake(String, Function)
     */
    public static <M, R extends @Nullable Object> Actor<M, R> findOrMake(String name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        return RootScope.root().findOrMake(name, maker);
    }

    /**
     * Finds an actor of the root scope by its typed name.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @return the actor, or an empty optional if there is none of that name
     */
    public static <M, R extends @Nullable Object> Optional<Actor<M, R>> find(ActorName<M, R> name) {
        return RootScope.root().find(name);
    }

    /**
     * Makes an actor of the root scope that has a typed name.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @param maker makes the actor with the given builder, which has the name
     * @return the actor
     * @see ActorScope#make
     */
    public static <M, R extends @Nullable Object> Actor<M, R> make(ActorName<M, R> name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        return RootScope.root().make(name, maker);
    }

    /**
     * Finds an actor of the root scope by its typed name, or makes it, in one atomic step.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @param maker makes the actor with the given builder, which has the name
     * @return the actor
     * @see ActorScope#findOrMake(ActorName, Function)
     */
    public static <M, R extends @Nullable Object> Actor<M, R> findOrMake(ActorName<M, R> name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker) {
        return RootScope.root().findOrMake(name, maker);
    }

    /**
     * Sends a message to a typed name of the root scope.
     *
     * @param <M> type of the messages
     * @param name the name
     * @param message the message
     * @param absent what happens to the message if there is no actor of that name
     * @return true if the message was accepted or kept
     * @see ActorScope#sendMessage(ActorName, Object, WhenAbsent)
     */
    public static <M> boolean sendMessage(ActorName<M, ?> name, M message, WhenAbsent absent) {
        return RootScope.root().sendMessage(name, message, absent);
    }

    /**
     * Sends a request to a typed name of the root scope and asks for the answer.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @return the answer
     * @see ActorScope#ask(ActorName, Request)
     */
    public static <A extends @Nullable Object> CompletableFuture<A> ask(ActorName<?, Reply> name,
            Request<A> request) {
        return RootScope.root().ask(name, request);
    }

    /**
     * Sends a request to a typed name of the root scope and asks for the answer within a time limit.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @see ActorScope#ask(ActorName, Request, Duration)
     */
    public static <A extends @Nullable Object> CompletableFuture<A> ask(ActorName<?, Reply> name,
            Request<A> request, Duration timeout) {
        return RootScope.root().ask(name, request, timeout);
    }

    /**
     * Sends a request to a name in the root scope and asks for the answer.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @return the answer
     * @see ActorScope#ask(String, Request)
     */
    public static <A extends @Nullable Object> CompletableFuture<A> ask(String name, Request<A> request) {
        return RootScope.root().ask(name, request);
    }

    /**
     * Sends a request to a name in the root scope and asks for the answer within a time limit.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @see ActorScope#ask(String, Request, Duration)
     */
    public static <A extends @Nullable Object> CompletableFuture<A> ask(String name, Request<A> request,
            Duration timeout) {
        return RootScope.root().ask(name, request, timeout);
    }

    /**
     * Sends a request to a name in the root scope and waits for the answer.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @see ActorScope#askWait(String, Request)
     */
    public static <A extends @Nullable Object> A askWait(String name, Request<A> request)
            throws ExecutionException, InterruptedException {
        return RootScope.root().askWait(name, request);
    }

    /**
     * Sends a request to a name in the root scope and waits for the answer, but no longer than a time limit.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @see ActorScope#askWait(String, Request, Duration)
     */
    public static <A extends @Nullable Object> A askWait(String name, Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException {
        return RootScope.root().askWait(name, request, timeout);
    }

    /**
     * Sends a request to a typed name in the root scope and waits for the answer.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @see ActorScope#askWait(ActorName, Request)
     */
    public static <A extends @Nullable Object> A askWait(ActorName<?, Reply> name, Request<A> request)
            throws ExecutionException, InterruptedException {
        return RootScope.root().askWait(name, request);
    }

    /**
     * Sends a request to a typed name in the root scope and waits for the answer, but no longer than a time limit.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @see ActorScope#askWait(ActorName, Request, Duration)
     */
    public static <A extends @Nullable Object> A askWait(ActorName<?, Reply> name, Request<A> request,
            Duration timeout)
            throws ExecutionException, InterruptedException {
        return RootScope.root().askWait(name, request, timeout);
    }

    /**
     * Returns the names that actors of the root scope have at the moment, in alphabetical order.
     *
     * @return an immutable set of the names
     * @see ActorScope#names
     */
    public static SortedSet<String> names() {
        return RootScope.root().names();
    }

    /**
     * Sends a message to a name of the root scope. There need not be an actor of that name yet.
     *
     * @param name the name
     * @param message the message
     * @param absent what happens to the message if there is no actor of that name
     * @return true if the message was accepted or kept
     * @see ActorScope#sendMessage(String, Object, WhenAbsent)
     */
    public static boolean sendMessage(String name, Object message, WhenAbsent absent) {
        return RootScope.root().sendMessage(name, message, absent);
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
        return Deadlines.timeLeft();
    }

    /**
     * Returns the scheduler of the root scope. It runs actions later, by the clock of the system. What it starts
     * belongs to the root scope.
     *
     * @return the scheduler
     */
    public static Scheduler scheduler() {
        return RootScope.root().scheduler();
    }

    /**
     * Adds a listener for the events of all scopes.
     *
     * @param listener the listener
     * @return an object that removes the listener
     */
    public static Cancellable listen(ActorListener listener) {
        return RootScope.root().listen(listener);
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
     * Returns the counts of all messages that were offered to actors of the root scope, by what became of them.
     *
     * @return the counts
     */
    public static Counters counters() {
        return RootScope.root().counters();
    }

    /**
     * Returns what all actors of this JVM do at the moment: those of the root scope, and those of all other scopes. As
     * {@link #dump(DumpOptions)} with the default options.
     *
     * @return the dump
     */
    public static Dump dump() {
        return dump(DumpOptions.defaults());
    }

    /**
     * Returns what all actors of this JVM do at the moment. The root scope lists its anonymous actors only if it has a
     * watchdog; a dump without one does not show them. All other scopes list all actors.
     *
     * @param options how much is shown, and whether the dump looks twice
     * @return the dump
     * @see ActorScope#dump(DumpOptions)
     */
    public static Dump dump(DumpOptions options) {
        return RootScope.root().dump(options);
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
