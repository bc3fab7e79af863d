package io.fibry.fsm;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.Request;
import io.fibry.StopReport;
import io.fibry.time.Cancellable;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A state machine: an actor that is in one state at a time, and whose {@link TransitionTable} determines what it does with
 * an event. {@link #open(ActorScope, String, TransitionTable)} makes one. It is an actor of the scope and ends with it.
 *
 * <p><b>A step.</b> The machine handles one event at a time. It looks for the transition of its state that takes the event;
 * then run the action of leaving the state, the action of the transition, and the action of entering the next state. After
 * all three the step is made: the machine is in the next state, with the new data; the time-outs of the old state are
 * cancelled, and those of the new state begin; the events that were postponed are handled again, in their order and before
 * other events; raised events are handled before these.
 *
 * <p><b>Failures.</b> If a guard or an action throws, the step is not made. The machine is in its old state with its old data,
 * its time-outs go on, and what was postponed stays postponed. What an action has changed inside the data object, or
 * elsewhere, stays changed. The event has failed, and the {@linkplain io.fibry.FailurePolicy failure policy} decides what
 * follows: by default the machine goes on. After a restart the machine enters its initial state, with data that were made
 * anew and without time-outs of the old state; the events that were postponed are handled again. A time-out whose step has
 * failed does not come again before its state is entered again.
 *
 * <p>Objects are thread-safe. What a thread does before it sends an event <i>happens-before</i> the actions for that event,
 * and these <i>happen-before</i> the return of the future's {@code get} and of a call of {@link #state()} that returns the
 * state to which they have led.
 *
 * <p>Programs do not implement this interface.
 *
 * @param <S> type of the states
 * @param <E> type of the events
 * @param <D> type of the data
 */
public interface StateMachine<S, E, D> extends AutoCloseable {
    /**
     * Makes a machine with the standard options. It enters its initial state at once.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param <D> type of the data
     * @param scope the scope of the machine's actor
     * @param name the name of the machine's actor
     * @param table the states and transitions
     * @return the machine
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static <S, E, D> StateMachine<S, E, D> open(ActorScope scope, String name,
            TransitionTable<S, E, D> table) {
        return open(scope, name, MachineOptions.standard(), table);
    }

    /**
     * Makes a machine. It enters its initial state at once.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param <D> type of the data
     * @param scope the scope of the machine's actor
     * @param name the name of the machine's actor
     * @param options the options
     * @param table the states and transitions
     * @return the machine
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed, or if the actor cannot be built with what {@link
     *     MachineOptions#actors()} sets
     */
    static <S, E, D> StateMachine<S, E, D> open(ActorScope scope, String name, MachineOptions options,
            TransitionTable<S, E, D> table) {
        return open(scope, name, options, table, Objects.requireNonNull(table, "table").dataMaker());
    }

    /**
     * Makes a machine with data of its own. It enters its initial state at once.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param <D> type of the data
     * @param scope the scope of the machine's actor
     * @param name the name of the machine's actor
     * @param options the options
     * @param table the states and transitions
     * @param data makes the data, inside the actor, when the machine starts and when it is restarted
     * @return the machine
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed, or if the actor cannot be built with what {@link
     *     MachineOptions#actors()} sets
     */
    static <S, E, D> StateMachine<S, E, D> open(ActorScope scope, String name, MachineOptions options,
            TransitionTable<S, E, D> table, Supplier<? extends D> data) {
        return MachineActor.open(scope, name, options, table, data);
    }

    /**
     * Sends an event. Does not wait.
     *
     * @param event the event
     * @return true if the event was accepted: the machine handles it unless it stops before
     */
    boolean send(E event);

    /**
     * Sends an event and returns the state after it. The future completes when the event has been handled; for an event
     * that is postponed this is later, in another state. It fails with what an action throws, and with an {@link
     * io.fibry.ActorException} if the event will not be handled. The cancellation of the future takes back an event that
     * waits.
     *
     * @param event the event, which is no {@link Request}
     * @return the state after the event
     * @throws IllegalArgumentException if the event is a request
     */
    CompletableFuture<S> process(E event);

    /**
     * Sends an event and returns the state after it, within a time limit.
     *
     * @param event the event, which is no {@link Request}
     * @param timeout how long that may take; more than zero
     * @return the state after the event; fails with an {@link io.fibry.AskTimeoutException} if the time is over
     * @throws IllegalArgumentException if the event is a request
     */
    CompletableFuture<S> process(E event, Duration timeout);

    /**
     * Sends an event that is a request, and returns the answer that an action gives to it by {@link Step#answer} or {@link
     * Step#deferReply}. If the event was handled without an answer, the future fails with an {@link IllegalStateException};
     * if the state has no transition for it, with an {@link UnhandledEventException}.
     *
     * @param <A> type of the answer
     * @param event the event
     * @return the answer
     * @throws IllegalArgumentException if the request is no event of this machine
     */
    <A extends @Nullable Object> CompletableFuture<A> request(Request<A> event);

    /**
     * Sends an event that is a request, and returns the answer, within a time limit.
     *
     * @param <A> type of the answer
     * @param event the event
     * @param timeout how long that may take; more than zero
     * @return the answer; fails with an {@link io.fibry.AskTimeoutException} if the time is over
     * @throws IllegalArgumentException if the request is no event of this machine
     */
    <A extends @Nullable Object> CompletableFuture<A> request(Request<A> event, Duration timeout);

    /**
     * Returns the state of the machine, as it was after its last step. Before the first step, and after the machine has
     * stopped, this is the initial state and the last one.
     *
     * @return the state
     */
    S state();

    /**
     * Returns a future of a state. The machine looks at it when it has handled the events that the caller has sent before,
     * and after each of its steps. The future completes with the first state that fits, inside the actor; so its callbacks
     * should be quick. If the machine has stopped in a last state that fits, the future
     * completes with this state. Otherwise it fails with an {@link io.fibry.ActorStoppedException} if the machine stops. It
     * fails with what the predicate throws.
     *
     * @param wanted tells whether a state fits; called inside the actor
     * @return the state
     */
    CompletableFuture<S> awaitState(Predicate<? super S> wanted);

    /**
     * Returns a future that completes when the machine is in a given state, as {@link #awaitState(Predicate)} does.
     *
     * @param state the state; states are the same if they are equal
     * @return the state
     */
    CompletableFuture<S> awaitState(S state);

    /**
     * Adds a listener, which hears of all that the machine does from its next step on. The machine calls it inside its actor, in the order
     * of its steps, so a listener should be quick. If it throws, that is reported to the listeners of the scope, and the machine goes
     * on.
     *
     * @param listener the listener
     * @return an object that removes the listener
     */
    Cancellable listen(Consumer<? super MachineEvent<S, E>> listener);

    /**
     * Returns the table of this machine.
     *
     * @return the table
     */
    TransitionTable<S, E, D> table();

    /**
     * Returns the name of the machine, which is that of its actor.
     *
     * @return the name
     */
    String name();

    /**
     * Returns what became of the events, time-outs and requests to wait for a state that were sent to this machine.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Stops the machine after the events that are queued now, as {@link io.fibry.Actor#stop} does. Postponed events are
     * undelivered. The action of leaving the last state does not run.
     *
     * @param deadline how long the machine may take for the queued events; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of this machine, as {@link io.fibry.Actor#onStopped} does.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();

    /** Stops the machine as {@link io.fibry.Actor#close} stops its actor. */
    @Override
    void close();
}
