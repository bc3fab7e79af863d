package io.fibry;

import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.DumpSection;
import io.fibry.event.ActorListener;
import io.fibry.function.Body;
import io.fibry.time.Cancellable;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A closable group of actors with names, defaults and listeners of its own.
 *
 * <pre>{@code
 * try (var scope = ActorSystem.open("orders")) {
 *     var ledger = scope.named("ledger").newActor((Order order) -> book(order));
 *     …
 * } // all its actors have handled what was queued, and have stopped
 * }</pre>
 *
 * <p>Scopes are thread-safe.
 */
public interface ActorScope extends AutoCloseable {
    /**
     * Returns a builder of a scope inside this one. The new scope has the defaults of this scope, the listeners of this
     * scope get its events too, and it is closed before this scope.
     *
     * @param name the name of the scope in reports
     * @return the builder
     */
    ScopeBuilder child(String name);

    /**
     * Returns the name that was given when the scope was opened.
     *
     * @return the name
     */
    String name();

    /**
     * Returns a builder of actors without a name.
     *
     * @return the builder
     */
    ActorBuilder anonymous();

    /**
     * Returns a builder of an actor with a name. A name is unique in its scope while the actor lives.
     *
     * @param name the name, which must not be blank
     * @return the builder
     * @throws IllegalArgumentException if the name is blank
     */
    ActorBuilder named(String name);

    /**
     * Finds an actor by its name. An actor has its name until its exit hooks have run, so the actor that is found may be
     * stopping. If the actor was made with a name of the same text and other types, a message that its handler cannot take
     * fails with a {@link ClassCastException} that names the actor and the class of the message.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @return the actor, or an empty optional if there is none of that name
     */
    <M, R extends @Nullable Object> Optional<Actor<M, R>> find(ActorName<M, R> name);

    /**
     * Makes an actor that has a name. The compiler checks that it takes the messages and gives the answers that the name
     * declares.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @param maker makes the actor with the given builder, which has the name
     * @return the actor
     * @throws IllegalArgumentException if the name is taken
     * @throws IllegalStateException if the maker returns an actor of another name, or if the scope is closed
     */
    <M, R extends @Nullable Object> Actor<M, R> make(ActorName<M, R> name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker);

    /**
     * Finds an actor by its name, or makes it. If several threads call this method at the same time, one actor is made,
     * and all of them get it. The maker is called only if there is no actor of that name. If two threads call their
     * makers at the same time, the actor of one of them is made; the actor of the other one is dropped before it
     * begins, and leaves no trace.
     *
     * <pre>{@code
     * static final ActorName<Order, Void> LEDGER = ActorName.of("ledger");
     *
     * var ledger = scope.findOrMake(LEDGER, builder -> builder.newActor((Order order) -> book(order)));
     * }</pre>
     *
     * <p>If an actor of that name is stopping, the call does not return it: the call waits until the actor has stopped
     * and its name is free.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param name the name
     * @param maker makes the actor with the given builder, which has the name
     * @return the actor
     * @throws IllegalStateException if the maker returns another actor, if the scope is closed, or if the caller runs
     *     inside the actor that is stopping, or inside a child of it
     * @throws AskCycleException if the actor that is stopping waits for the calling actor
     * @throws ActorInterruptedException if the caller is interrupted while it waits
     */
    <M, R extends @Nullable Object> Actor<M, R> findOrMake(ActorName<M, R> name,
            Function<? super ActorBuilder, ? extends Actor<M, R>> maker);

    /**
     * Sends a message to the actor of a name, or keeps it for the actor that will have the name. Messages that are kept are
     * the first messages that the actor handles, in the order in which they were sent. They do not count for the bound of its
     * mailbox.
     *
     * @param <M> type of the messages
     * @param name the name
     * @param message the message
     * @param keep how many messages may be kept for the name while no actor has it; further ones are refused
     * @return true if the message was accepted or kept
     */
    <M> boolean sendOrKeep(ActorName<M, ?> name, M message, int keep);

    /**
     * Sends a request to a name and asks for the answer. If there is no actor of that name, the request is refused and
     * reported, and the answer fails with an {@link ActorException}. All else is as for {@link Actor#request(Request)}.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @return the answer
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    <A extends @Nullable Object> CompletableFuture<A> request(ActorName<?, Reply> name, Request<A> request);

    /**
     * Sends a request to a name and asks for the answer within a time limit. All else is as for {@link #request(ActorName,
     * Request)}.
     *
     * @param <A> type of the answer
     * @param name the name
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    <A extends @Nullable Object> CompletableFuture<A> request(ActorName<?, Reply> name, Request<A> request,
            Duration timeout);

    /**
     * Returns the names that actors of this scope have at the moment, in alphabetical order. Names without an actor,
     * for which messages are kept, are not among them, and neither are the names in the scopes inside this one.
     *
     * @return an immutable set of the names
     */
    SortedSet<String> names();

    /**
     * Runs code by a schedule, by the {@linkplain ScopeBuilder#time clock} of the scope. Each run takes place in a new actor of
     * the scope, on the scope's strategy and never on the timer thread, so the code may block. Two runs never overlap. If the
     * code throws, that is reported as a failure of an actor is, and the schedule goes on. It ends with the scope. A pending
     * task holds no thread.
     *
     * <pre>{@code
     * scope.schedule(Schedule.fixedDelay(Duration.ofMinutes(5)), () -> sweep(folder));
     * scope.schedule(Schedule.fixedRate(Duration.ofSeconds(1)).times(60), clock, new Tick());
     * }</pre>
     *
     * @param schedule when to run the code
     * @param task the code
     * @return the handle
     * @throws IllegalStateException if the scope is closed
     */
    Scheduled schedule(Schedule schedule, Body task);

    /**
     * Runs code by a schedule, as {@link #schedule(Schedule, Body)} does, and interrupts a run that takes too long. Such a
     * run is reported as a failure with a {@link java.util.concurrent.TimeoutException}. Code that does not react to an
     * interrupt goes on: the next run begins when the present one has ended, and an end that comes late is a failure as well.
     *
     * @param schedule when to run the code
     * @param limit how long one run may take, by the clock of the scope; more than zero
     * @param task the code
     * @return the handle
     * @throws IllegalArgumentException if the limit is not more than zero
     * @throws IllegalStateException if the scope is closed
     */
    Scheduled schedule(Schedule schedule, Duration limit, Body task);

    /**
     * Sends a message to an actor by a schedule, as any other sender does. The bound of the mailbox applies; if the
     * sender has to wait, a fiber waits, and the next message is not sent before that. When the actor has stopped, the
     * next message is reported as undelivered and the schedule is over.
     *
     * <p>An actor that wants messages itself uses its {@link io.fibry.time.Timers}. They end with the actor, and no
     * message of a timer is handled after the timer was cancelled.
     *
     * @param <M> type of the messages
     * @param schedule when to send the message
     * @param actor the actor that gets the message
     * @param message the message, the same one each time
     * @return the handle
     * @throws IllegalStateException if the scope is closed
     */
    <M> Scheduled schedule(Schedule schedule, Actor<M, ?> actor, M message);

    /**
     * Returns the clock of the scope, by which its timers and time limits work. Code that measures time by it can be tested
     * with a {@link io.fibry.time.ManualTime}.
     *
     * @return the clock
     */
    TimeSource time();

    /**
     * Adds a listener for the events of this scope and of the scopes inside it.
     *
     * @param listener the listener
     * @return an object that removes the listener
     */
    Cancellable listen(ActorListener listener);

    /**
     * Returns the counts of all messages that were offered to actors of this scope, by what became of them. Scopes
     * inside this one are not included.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Returns what the actors of this scope, and of the scopes inside it, do at the moment. As {@link #dump(DumpOptions)} with
     * the default options.
     *
     * @return the dump
     */
    default Dump dump() {
        return dump(DumpOptions.defaults());
    }

    /**
     * Returns what the actors of this scope, and of the scopes inside it, do at the moment. Any thread may call this at any
     * time, also when the scope is closed. The call only reads; no actor waits for it. It takes about a fifth
     * of a second for a million idle actors, and some ten microseconds for each actor that is shown with its stack.
     *
     * <p>If the thread is interrupted between two looks, the second look takes place at once, and the thread stays interrupted.
     *
     * @param options how much is shown, and whether the dump looks twice
     * @return the dump
     */
    Dump dump(DumpOptions options);

    /**
     * Adds a section to the dumps of this scope: what a dump cannot know by itself, such as the connections of a pool.
     *
     * @param section makes the section, for each dump anew and on the thread that takes it; it must not wait. What it
     *     throws is shown in place of the section
     * @return an object that removes the section
     */
    Cancellable addToDumps(Supplier<DumpSection> section);

    /**
     * Waits until no actor of this scope, and of the scopes inside it, handles a message or has one waiting, all at one
     * moment. It is meant for tests: nothing keeps other code from sending right after that. The actors' timers and
     * scheduled jobs are not waited for, and neither are the bodies of receiving actors, nor the actor that calls this
     * method. If messages wait that no actor takes, it returns before the limit. Of the root scope it waits for the
     * actors that a dump lists.
     *
     * <p>What the handlers did <i>happens-before</i> the return of this method, if it returns true.
     *
     * @param limit how long to wait at most, more than zero; real time, whatever the clock of the scope is
     * @return true if all were idle; false if one of them still had something to do when the time was over
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     */
    boolean awaitIdle(Duration limit) throws InterruptedException;

    /**
     * Closes a resource when the scope is closed. The resources are closed after the actors have stopped, in the order
     * in which they were given to this method. If the scope is closed already, or is being closed, the resource is
     * closed at once. An exception of a resource's {@code close} is reported as a failure.
     *
     * @param resource the resource
     * @return this scope
     */
    ActorScope closeOnExit(AutoCloseable resource);

    /**
     * Closes the scope, in these steps:
     *
     * <ol>
     * <li>The actors of the scope, and of the scopes inside it, no longer take messages from outside, and no actor can
     *     be made from outside. Code is inside if it runs on the thread of a handler of these actors, or of their
     *     workers; such code can go on as before. Timers go on as well.
     * <li>The actors that bring in work are stopped: servers, and actors of a {@linkplain ActorBuilder#stopPhase phase}
     *     below zero.
     * <li>The other actors are drained: the scope waits until no actor handles a message or has a message waiting. It
     *     does not wait for the bodies of receiving actors, for messages that no actor takes, nor, while its clock
     *     stands, for messages that lead to further ones without end.
     * <li>The scopes inside it are stopped, and then the actors, phase by phase. Each actor handles the messages that
     *     are queued now, and stops. The actors that have not stopped after {@code deadline}, counted from the first
     *     step, are interrupted, and their queued messages become undelivered. Then each phase has up to one more second,
     *     by the system's clock, whatever the deadline and the clock of the scope are.
     * <li>The {@linkplain #closeOnExit resources} of the scope are closed.
     * </ol>
     *
     * <p>If one of the actors calls this method from inside, that actor is asked to exit and is not waited for. The
     * resources are then closed after it has stopped.
     *
     * <p>If {@code deadline} is zero, nothing is drained. Phase by phase, each actor is stopped as {@link Actor#stop}
     * with a zero deadline stops it. The report says that the stop was forced if the stop of at least one actor was.
     *
     * @param deadline how long the actors may take for the messages that are queued; not negative
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of this scope. It completes when the scope has been closed, by a call or by the end
     * of the enclosing scope, when its actors have stopped or were given up, and when its resources have been closed.
     * The value is
     * the report of that stop. If this has happened already, the future is complete. If an actor closes its own
     * scope, the report that the actor gets names that actor as still running. The report of this future does not,
     * because the actor has ended by then.
     *
     * <p>Each call returns another future; completing or cancelling one of them does not stop the scope. The future
     * holds no thread. A virtual thread completes it, so its callbacks do not hold up the end of the scope. An actor of the
     * scope must not wait for it: the scope would wait for the actor, up to the deadline.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();

    /**
     * Tells whether the stop of this scope, or of a scope around it, has begun. From then on only handlers that run inside
     * the scope can make actors in it, and a moment later only they can send to its actors. Any thread may call this method.
     *
     * @return true from the beginning of the stop or close on, and for ever
     */
    boolean isClosing();

    /**
     * Returns the time that a close of this scope allows its actors, as {@link ScopeBuilder#closeTimeout} has set it.
     *
     * @return the deadline of {@link #close()}
     */
    Duration closeTimeout();

    /**
     * Stops the scope with its {@linkplain ScopeBuilder#closeTimeout close time-out} as the deadline, or with a deadline of
     * zero if the scope was closed before.
     */
    @Override
    void close();
}
