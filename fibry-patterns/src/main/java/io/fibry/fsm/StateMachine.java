package io.fibry.fsm;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.Counters;
import io.fibry.Request;
import io.fibry.StatefulActor;
import io.fibry.StopReport;
import io.fibry.event.Undelivered;
import io.fibry.function.ReplyHandler;
import io.fibry.message.Envelope;
import io.fibry.time.Cancellable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A state machine: an actor that is in one state at a time, and whose {@link TransitionTable} determines what it does with
 * an event. {@link #open(ActorScope, String, TransitionTable)} makes one. It is an actor of the scope and ends with it.
 *
 * <p><b>A step.</b> The machine handles one event at a time. It looks for the transition of its state that takes the
 * event, and runs the action of leaving the state, the action of the transition, and the action of entering the next
 * state. Then the step is made: the machine is in the next state, with the new data; the time-outs of the old state are
 * cancelled, and those of the new state begin; the events that were postponed are handled again, in their order and
 * before other events; raised events are handled before these.
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
 * @param <S> type of the states
 * @param <E> type of the events
 * @param <D> type of the data
 */
public final class StateMachine<S, E, D> implements AutoCloseable {
    private final TransitionTable<S, E, D> table;
    private final MachineObservers observers;
    private final StatefulActor<RunningMachine, Object, @Nullable Object> actor;

    private StateMachine(TransitionTable<S, E, D> table, MachineObservers observers,
            StatefulActor<RunningMachine, Object, @Nullable Object> actor) {
        this.table = table;
        this.observers = observers;
        this.actor = actor;
    }

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
    public static <S, E, D> StateMachine<S, E, D> open(ActorScope scope, String name,
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
    public static <S, E, D> StateMachine<S, E, D> open(ActorScope scope, String name, MachineOptions options,
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
    public static <S, E, D> StateMachine<S, E, D> open(ActorScope scope, String name, MachineOptions options,
            TransitionTable<S, E, D> table, Supplier<? extends D> data) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(data, "data");
        var raised = new ArrayDeque<>();
        var builder = options.actors().apply(scope.named(Objects.requireNonNull(name, "name")));
        var observers = new MachineObservers(table.initial());
        var actor =
                (table.postpones() ? builder.stash(options.postponed()) : builder).urgent(options.raised())
                        .onExit(() -> observers.end(name))
                        .state(() -> new RunningMachine(table, options, observers, raised,
                                Objects.requireNonNull(data.get(), "the data of the machine")))
                        .of(Object.class)
                        .onStart((context, machine) -> machine.begin(known(context)))
                        .<@Nullable Object>newActorWithReturn((context, machine, message) -> machine
                                .handle(context, message));
        return new StateMachine<>(table, observers, actor);
    }

    @SuppressWarnings("unchecked") // the actor of a machine takes and answers anything
    private static ActorContext<Object, @Nullable Object> known(ActorContext<Object, ?> context) {
        return (ActorContext<Object, @Nullable Object>) context;
    }

    /**
     * Sends an event. Does not wait.
     *
     * @param event the event
     * @return true if the event was accepted: the machine handles it unless it stops before
     */
    public boolean send(E event) {
        return actor.sendMessage(event);
    }

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
    public CompletableFuture<S> process(E event) {
        return states(actor.sendMessageReturn(checked(event)));
    }

    /**
     * Sends an event and returns the state after it, within a time limit.
     *
     * @param event the event, which is no {@link Request}
     * @param timeout how long that may take; more than zero
     * @return the state after the event; fails with an {@link io.fibry.AskTimeoutException} if the time is over
     * @throws IllegalArgumentException if the event is a request
     */
    public CompletableFuture<S> process(E event, Duration timeout) {
        return states(actor.ask(checked(event), timeout));
    }

    private static <T> T checked(T event) {
        if (Objects.requireNonNull(event, "event") instanceof Request<?>) {
            throw new IllegalArgumentException(
                    event.getClass().getName() + " is a request, which has its own answer: use request");
        }
        return event;
    }

    @SuppressWarnings("unchecked") // the handler answers an event that is no request with the state
    private CompletableFuture<S> states(CompletableFuture<@Nullable Object> answer) {
        return (CompletableFuture<S>) (CompletableFuture<?>) answer;
    }

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
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> event) {
        return answers(actor.sendMessageReturn(asked(event)));
    }

    /**
     * Sends an event that is a request, and returns the answer, within a time limit.
     *
     * @param <A> type of the answer
     * @param event the event
     * @param timeout how long that may take; more than zero
     * @return the answer; fails with an {@link io.fibry.AskTimeoutException} if the time is over
     * @throws IllegalArgumentException if the request is no event of this machine
     */
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> event, Duration timeout) {
        return answers(actor.ask(asked(event), timeout));
    }

    private Object asked(Request<?> event) {
        if (!table.events().isInstance(Objects.requireNonNull(event, "event"))) {
            throw new IllegalArgumentException("machine '" + name() + "' takes events of "
                    + table.events().getName() + ", and " + event.getClass().getName() + " is none");
        }
        return event;
    }

    @SuppressWarnings("unchecked") // the request determines the type of its answer
    private static <A extends @Nullable Object> CompletableFuture<A> answers(
            CompletableFuture<@Nullable Object> answer) {
        return (CompletableFuture<A>) (CompletableFuture<?>) answer;
    }

    /**
     * Returns the state of the machine, as it was after its last step. Before the first step this is the initial state,
     * and after the machine has stopped the last one.
     *
     * @return the state
     */
    public S state() {
        return table.states().cast(observers.state());
    }

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
    @SuppressWarnings("unchecked") // all states of the machine have this type
    public CompletableFuture<S> awaitState(Predicate<? super S> wanted) {
        Objects.requireNonNull(wanted, "wanted");
        var future = new CompletableFuture<Object>();
        var caller = new MachineObservers.Waiting((Predicate<Object>) (Predicate<?>) wanted, future);
        var unused =
                actor.execFutureWithState(new Await(observers, caller)).whenComplete((there, failure) -> {
                    if (failure != null && !(endedInLastState() && caller.isDoneAt(observers.state()))) {
                        future.completeExceptionally(
                                failure instanceof ActorStoppedException ? observers.ended(name()) : failure);
                    }
                });
        return (CompletableFuture<S>) (CompletableFuture<?>) future;
    }

    /** Whether the machine has come to an end of its table: that state stays, and callers may still want it. */
    private boolean endedInLastState() {
        var rules = table.rulesOf(observers.state());
        return rules != null && rules.isLast() && actor.state() != ActorState.IDLE
                && actor.state() != ActorState.BUSY;
    }

    /**
     * Returns a future that completes when the machine is in a given state, as {@link #awaitState(Predicate)} does.
     *
     * @param state the state; states are the same if they are equal
     * @return the state
     */
    public CompletableFuture<S> awaitState(S state) {
        Objects.requireNonNull(state, "state");
        return awaitState((Predicate<S>) state::equals);
    }

    /**
     * Adds a listener, which hears of all that the machine does from its next step on. The machine calls it inside its
     * actor, in the order of its steps, so a listener should be quick. If it throws, that is reported to the listeners
     * of the scope, and the machine goes on.
     *
     * @param listener the listener
     * @return an object that removes the listener
     */
    @SuppressWarnings("unchecked") // it hears of this machine's states and events
    public Cancellable listen(Consumer<? super MachineEvent<S, E>> listener) {
        return observers.listen((Consumer<MachineEvent<Object, Object>>) (Consumer<?>) Objects
                .requireNonNull(listener, "listener"));
    }

    /**
     * Returns the table of this machine.
     *
     * @return the table
     */
    public TransitionTable<S, E, D> table() {
        return table;
    }

    /**
     * Returns the name of the machine, which is that of its actor.
     *
     * @return the name
     */
    public String name() {
        return actor.name();
    }

    /**
     * Returns what became of the events, time-outs and requests to wait for a state that were sent to this machine.
     *
     * @return the numbers
     */
    public Counters counters() {
        return actor.counters();
    }

    /**
     * Stops the machine after the events that are queued now, as {@link io.fibry.Actor#stop} does. Postponed events are
     * undelivered. The action of leaving the last state does not run.
     *
     * @param deadline how long the machine may take for the queued events; not negative
     * @return how the stop went
     */
    public StopReport stop(Duration deadline) {
        return actor.stop(deadline);
    }

    /**
     * Returns a future of the end of this machine, as {@link io.fibry.Actor#onStopped} does.
     *
     * @return the future of the report
     */
    public CompletableFuture<StopReport> onStopped() {
        return actor.onStopped();
    }

    /** Stops the machine as {@link io.fibry.Actor#close} stops its actor. */
    @Override
    public void close() {
        actor.close();
    }

    @Override
    public String toString() {
        return "StateMachine[" + name() + " in " + state() + "]";
    }

    /** Code that lets a caller wait for a state. If the machine has stopped, the caller gets an exception: nothing is lost. */
    private record Await(MachineObservers observers,
            MachineObservers.Waiting caller) implements ReplyHandler<RunningMachine, Boolean>, Envelope {
        @Override
        public Boolean handle(RunningMachine machine) {
            observers.await(caller);
            return true;
        }

        @Override
        public Object content() {
            return "a wait for a state";
        }

        @Override
        public Optional<String> about() {
            return Optional.of("awaitState");
        }

        @Override
        public boolean isLossReported(Undelivered.Cause cause) {
            return false;
        }
    }
}
