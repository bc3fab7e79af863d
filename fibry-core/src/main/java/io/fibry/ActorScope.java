package io.fibry;

import io.fibry.event.ActorListener;
import io.fibry.internal.engine.RootScope;
import io.fibry.time.Cancellable;
import io.fibry.time.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A closable group of actors with names, defaults and listeners of its own.
 *
 * <pre>{@code
 * try (var scope = ActorScope.open("orders")) {
 *     var ledger = scope.named("ledger").newActor((Order order) -> book(order));
 *     …
 * } // all its actors have handled what was queued, and have stopped
 * }</pre>
 *
 * <p>Scopes are thread-safe.
 */
public interface ActorScope extends AutoCloseable {
    /**
     * Opens a scope with the defaults of {@link ActorSystem}.
     *
     * @param name what the scope is called in reports
     * @return the scope
     */
    static ActorScope open(String name) {
        return configure(name).open();
    }

    /**
     * Starts to configure a scope.
     *
     * @param name what the scope is called in reports
     * @return its configuration so far
     */
    static ScopeBuilder configure(String name) {
        return RootScope.root().child(name);
    }

    /**
     * Starts to configure a scope inside this one: it has this one's defaults, its events are heard here
     * too, and it is closed before this one.
     *
     * @param name what the scope is called in reports
     * @return its configuration so far
     */
    ScopeBuilder child(String name);

    /**
     * The name given when it was opened.
     *
     * @return the name
     */
    String name();

    /**
     * A builder for actors without a name.
     *
     * @return the builder
     */
    ActorBuilder anonymous();

    /**
     * A builder for an actor with a name. Names are unique in a scope while the actor lives.
     *
     * @param name the name, which must not be blank
     * @return the builder
     * @throws IllegalArgumentException if the name is blank
     */
    ActorBuilder named(String name);

    /**
     * Finds an actor by its name. The types are the caller's claim: a message that the handler cannot take fails with a
     * {@link ClassCastException} that names the actor and the class of the message. An actor has its name until its exit
     * hooks have run, so the one that is found may be stopping.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @return the actor, if there is one
     */
    <M, R extends @Nullable Object> Optional<Actor<M, R>> find(String name);

    /**
     * Finds an actor by its name, or makes it. However many threads call this at the same time, one actor is made, and all
     * of them get it. The maker is called only if there is none; if two threads call theirs at the same time, the actor of
     * one is made, and what the other one was about to make is dropped before it begins, without a trace.
     *
     * <pre>{@code
     * Actor<Order, Void> ledger = scope.findOrMake("ledger", builder -> builder.newActor((Order order) -> book(order)));
     * }</pre>
     *
     * <p>An actor of that name that is stopping is not returned: the call waits until it has stopped and its name is free.
     *
     * @param <M> type of the messages, as the caller claims if there is one
     * @param <R> type of the answers, as the caller claims if there is one
     * @param name the name, which must not be blank
     * @param maker makes the actor with the builder that it is given, which has the name
     * @return the actor
     * @throws IllegalArgumentException if the name is blank
     * @throws IllegalStateException if the maker returns another actor, if the scope is closed, or if the caller is inside
     *     the actor that is stopping, or a child of it
     * @throws AskCycleException if the actor that is stopping waits for the calling one
     * @throws ActorInterruptedException if the caller is interrupted while it waits
     */
    <M, R extends @Nullable Object> Actor<M, R> findOrMake(String name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker);

    /**
     * The names that actors of this scope have at the moment, in alphabetical order. Names for which messages are kept are
     * not among them, nor those of scopes inside this one.
     *
     * @return the names; they do not change any more
     */
    SortedSet<String> names();

    /**
     * Sends a message to a name, also before there is an actor of that name. Kept messages are the first
     * that actor handles, in the order they were sent, and do not count for the bound of its mailbox.
     *
     * @param name the name, which must not be blank
     * @param message the message
     * @param absent what to do if there is no actor of that name
     * @return true if it was accepted or kept
     */
    boolean sendMessage(String name, Object message, WhenAbsent absent);

    /**
     * Lets things happen later, by the scope's {@linkplain ScopeBuilder#time clock}. It ends with the scope.
     *
     * @return the scope's scheduler
     */
    Scheduler scheduler();

    /**
     * Hears what happens in this scope and the scopes in it.
     *
     * @param listener the listener
     * @return cancels the listening
     */
    Cancellable listen(ActorListener listener);

    /**
     * What became of all messages offered to actors of this scope, not counting scopes inside it.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Closes the resource when the scope is closed, after its actors have stopped, in the order in which they were given
     * here; at once, if it is closed or being closed already. What a close throws is reported as a failure.
     *
     * @param resource the resource
     * @return this scope
     */
    ActorScope closeOnExit(AutoCloseable resource);

    /**
     * Closes the scope, in steps:
     * <ol>
     * <li>No actor of it, or of a scope inside it, takes a message from outside any more, and from outside no actor can
     * be made. Inside is what runs on the thread of a handler of these actors, or of workers of theirs: that can go on as
     * before. Timers go on as well.
     * <li>What brings in work is stopped: servers, and actors of a {@linkplain ActorBuilder#stopPhase phase} below zero.
     * <li>The rest is drained: it is given time until no actor handles a message or has one waiting. Bodies of receiving
     * actors are not waited for. Messages that lead to further ones again and again, ten thousand times in a row, are
     * taken for endless, and not waited for any longer.
     * <li>The scopes inside it are stopped, then the actors, phase by phase: each handles what is queued now and stops.
     * Those that have not stopped after {@code deadline}, counted from the beginning of it all, are interrupted, what
     * they had queued becomes undelivered, and each phase is given the same time again, but one second at most.
     * <li>Its {@linkplain #closeOnExit resources} are closed.
     * </ol>
     *
     * <p>Called from inside one of its actors, that actor is asked to exit and not waited for; the resources are then
     * closed when it has stopped.
     *
     * <p>If {@code deadline} is zero, nothing is drained. Phase by phase, each actor is stopped as {@link Actor#stop} with
     * zero stops it, and each phase is waited for, for up to one second by the system's clock, whatever the clock of the
     * scope is. The report says forced if at least one actor was.
     *
     * @param deadline how long the actors may take for what is queued; not negative
     * @return how it went
     */
    StopReport stop(Duration deadline);

    /** Stops the scope with its {@linkplain ScopeBuilder#closeTimeout close time-out} as the deadline. */
    @Override
    void close();
}
