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

/** The handle of a machine, and its actor. */
final class MachineActor<S, E, D> implements StateMachine<S, E, D> {
    /** Code that lets a caller wait for a state. If the machine has stopped, its caller gets an exception, and nothing is lost. */
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

    private final TransitionTable<S, E, D> table;
    private final MachineObservers observers;
    private final StatefulActor<RunningMachine, Object, @Nullable Object> actor;

    private MachineActor(TransitionTable<S, E, D> table, MachineObservers observers,
            StatefulActor<RunningMachine, Object, @Nullable Object> actor) {
        this.table = table;
        this.observers = observers;
        this.actor = actor;
    }

    static <S, E, D> MachineActor<S, E, D> open(ActorScope scope, String name, MachineOptions options,
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
        return new MachineActor<>(table, observers, actor);
    }

    @SuppressWarnings("unchecked") // the actor of a machine takes and answers anything
    private static ActorContext<Object, @Nullable Object> known(ActorContext<Object, ?> context) {
        return (ActorContext<Object, @Nullable Object>) context;
    }

    @Override
    public boolean send(E event) {
        return actor.sendMessage(event);
    }

    @Override
    public CompletableFuture<S> process(E event) {
        return states(actor.sendMessageReturn(checked(event)));
    }

    @Override
    public CompletableFuture<S> process(E event, Duration timeout) {
        return states(actor.ask(checked(event), timeout));
    }

    private static <T> T checked(T event) {
        if (Objects.requireNonNull(event, "event") instanceof Request<?>) {
            throw new IllegalArgumentException(
                    event.getClass().getName() + " is a request, which has an answer of its own: use ask");
        }
        return event;
    }

    @SuppressWarnings("unchecked") // the handler answers an event that is no request with the state
    private CompletableFuture<S> states(CompletableFuture<@Nullable Object> answer) {
        return (CompletableFuture<S>) (CompletableFuture<?>) answer;
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> event) {
        return answers(actor.sendMessageReturn(asked(event)));
    }

    @Override
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

    @Override
    public S state() {
        return table.states().cast(observers.state());
    }

    @Override
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

    @Override
    public CompletableFuture<S> awaitState(S state) {
        Objects.requireNonNull(state, "state");
        return awaitState((Predicate<S>) state::equals);
    }

    @Override
    @SuppressWarnings("unchecked") // it hears of this machine's states and events
    public Cancellable listen(Consumer<? super MachineEvent<S, E>> listener) {
        return observers.listen((Consumer<MachineEvent<Object, Object>>) (Consumer<?>) Objects
                .requireNonNull(listener, "listener"));
    }

    @Override
    public TransitionTable<S, E, D> table() {
        return table;
    }

    @Override
    public String name() {
        return actor.name();
    }

    @Override
    public Counters counters() {
        return actor.counters();
    }

    @Override
    public StopReport stop(Duration deadline) {
        return actor.stop(deadline);
    }

    @Override
    public CompletableFuture<StopReport> onStopped() {
        return actor.onStopped();
    }

    @Override
    public void close() {
        actor.close();
    }

    @Override
    public String toString() {
        return "StateMachine[" + name() + " in " + state() + "]";
    }
}
