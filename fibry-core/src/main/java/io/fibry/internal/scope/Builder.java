package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.ActorScope;
import io.fibry.Bulkhead;
import io.fibry.CloseBehavior;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.MailboxPolicy;
import io.fibry.StatefulActorBuilder;
import io.fibry.function.Body;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.HandlerFactory;
import io.fibry.function.ReceivingBody;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.ReplyHandlerFactory;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import io.fibry.internal.abandon.StuckLimit;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.BodyNode;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StartNode;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.limit.CallGate;
import io.fibry.internal.limit.Throttle;
import io.fibry.internal.run.Quota;
import io.fibry.internal.run.Strategies;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedOptions;
import io.fibry.time.RateLimit;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The builder of actors. Its methods collect an {@link ActorSpec} and make actors from it. */
public final class Builder implements ActorBuilder {
    private final ActorSpec spec;

    /**
     * Returns a builder of this library as its implementation.
     *
     * @param builder a builder that came from a scope or from another builder
     * @return the builder
     */
    public static Builder of(ActorBuilder builder) {
        if (Objects.requireNonNull(builder, "builder") instanceof Builder known) {
            return known;
        }
        throw new IllegalArgumentException(
                "a builder that comes from a scope of this library is needed, not a "
                        + builder.getClass().getName() + ": " + builder);
    }

    Builder(ActorSpec spec) {
        this.spec = spec;
    }

    public ActorSpec spec() {
        return spec;
    }

    @Override
    public ActorBuilder strategy(CreationStrategy strategy) {
        return new Builder(spec.on(Objects.requireNonNull(strategy, "strategy")));
    }

    @Override
    public ActorBuilder mailbox(MailboxPolicy policy) {
        return new Builder(spec.with(Objects.requireNonNull(policy, "policy")));
    }

    @Override
    public ActorBuilder onFailure(FailurePolicy policy) {
        return new Builder(spec.with(Objects.requireNonNull(policy, "policy")));
    }

    @Override
    public ActorBuilder onExit(Body hook) {
        return new Builder(spec.with(Objects.requireNonNull(hook, "hook")));
    }

    @Override
    public ActorBuilder onClose(CloseBehavior behavior) {
        return new Builder(spec.with(Objects.requireNonNull(behavior, "behavior")));
    }

    @Override
    public ActorBuilder interruptOnCancel() {
        return new Builder(spec.interruptedOnCancel());
    }

    @Override
    public ActorBuilder runByCallers() {
        return new Builder(spec.byCallers());
    }

    @Override
    public ActorBuilder ownStack() {
        return new Builder(spec.onOwnStack());
    }

    @Override
    public ActorBuilder stopPhase(int phase) {
        return new Builder(spec.stoppedIn(phase));
    }

    /**
     * Returns a builder of actors that bring in work. They are stopped first when their scope is closed, unless this
     * builder has a stop phase.
     *
     * @return the builder
     */
    public Builder bringingInWork() {
        return spec.stopPhase() == 0 ? new Builder(spec.stoppedIn(-1)) : this;
    }

    @Override
    public ActorBuilder stopWhenIdle(Duration quiet) {
        return new Builder(spec.stoppedAfter(Durations.positiveNanos(quiet, "quiet")));
    }

    @Override
    public ActorBuilder abandonStuck(Duration limit, Duration grace) {
        return new Builder(spec.wrapped(new StuckLimit(Durations.positiveNanos(limit, "limit"),
                Durations.nanos(grace, "grace"))));
    }

    /** Returns a builder of actors whose handler or body receives messages itself. */
    private Builder receiving() {
        if (spec.quietNanos() != Long.MAX_VALUE) {
            throw new IllegalStateException(
                    "an actor that receives messages itself knows when it has nothing to do:"
                            + " instead of stopWhenIdle use receive with a time limit");
        }
        return new Builder(spec.asReceiving());
    }

    @Override
    public <S> StatefulActorBuilder<S> state(Supplier<? extends S> initial) {
        Objects.requireNonNull(initial, "initial");
        return new StatefulActorBuilder<>() {
            @Override
            public <M> Actor<M, Void> newActor(StateHandler<S, M> handler) {
                return make(Behaviors.stateful(initial, handler));
            }

            @Override
            public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(
                    StateReplyHandler<S, M, R> handler) {
                return make(Behaviors.statefulReplying(initial, handler));
            }
        };
    }

    @Override
    public <M> Actor<M, Void> newActor(Consumer<? super M> handler) {
        return make(Behaviors.consumer(handler));
    }

    @Override
    public <M> Actor<M, Void> newActor(Handler<M> handler) {
        return make(Behaviors.handler(handler));
    }

    @Override
    public <M> Actor<M, Void> newActor(ContextHandler<M> handler) {
        return make(Behaviors.contextual(handler));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(
            Function<? super M, ? extends R> handler) {
        return make(Behaviors.function(handler));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(ReplyHandler<M, R> handler) {
        return make(Behaviors.replying(handler));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(ContextReplyHandler<M, R> handler) {
        return make(Behaviors.contextReplying(handler));
    }

    @Override
    public <M> Actor<M, Void> newActorFrom(HandlerFactory<M> factory) {
        return make(Behaviors.made(factory), new StartNode());
    }

    @Override
    public <M> Actor<M, Void> newActorFrom(Supplier<? extends Handler<M>> factory) {
        Objects.requireNonNull(factory, "factory");
        return newActorFrom(new SuppliedHandler<M>(factory));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            ReplyHandlerFactory<M, R> factory) {
        return make(Behaviors.madeReplying(factory), new StartNode());
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            Supplier<? extends ReplyHandler<M, R>> factory) {
        Objects.requireNonNull(factory, "factory");
        return newActorWithReturnFrom(new SuppliedReplyHandler<M, R>(factory));
    }

    @Override
    public ActorGroup newGroup(GroupPolicy policy) {
        StuckLimit.refuse(spec, "a group", "say it of its members, where they are made");
        return Scope.of(spec).wiring().newGroup(this, Objects.requireNonNull(policy, "policy"));
    }

    @Override
    public <M> Actor<M, Void> newReceivingActor(ReceivingHandler<M> handler) {
        return receiving().make(Behaviors.receiving(handler));
    }

    @Override
    public <M> Actor<M, Void> newReceivingActor(ReceivingBody<M> body) {
        Objects.requireNonNull(body, "body");
        return receiving().newBody(body, true);
    }

    /**
     * Makes an actor that runs a piece of code and then stops.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> newRunOnce(Body body) {
        Objects.requireNonNull(body, "body");
        ReceivingBody<M> whole = context -> body.run();
        return newBody(whole, false);
    }

    private <M> Actor<M, Void> newBody(ReceivingBody<M> body, boolean receives) {
        var carried = spec.capture();
        return new Builder(spec.asReceiving()).make(Behaviors.body(body, receives, carried),
                new BodyNode(body, receives, carried));
    }

    /**
     * Makes an actor that gives each message to a new actor.
     *
     * @param <M> type of the messages
     * @param worker what to do with one message
     * @return the actor
     */
    public <M> Actor<M, Void> newWorkers(Handler<M> worker) {
        return workers(Behaviors.handler(worker));
    }

    /**
     * Makes an actor that gives each message to a new actor, which answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param worker what to do with one message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> newWorkersWithReturn(ReplyHandler<M, R> worker) {
        return workers(Behaviors.replying(worker));
    }

    /**
     * Makes an actor that handles no more messages than a limit allows.
     *
     * @param <M> type of the messages
     * @param limit the limit
     * @param handler what it does with a message
     * @return the actor
     */
    public <M> Actor<M, Void> newRateLimited(RateLimit limit, Handler<M> handler) {
        var throttle = throttle(limit);
        Objects.requireNonNull(handler, "handler");
        Handler<M> slow = message -> {
            throttle.await();
            handler.handle(message);
        };
        return newActor(slow);
    }

    /**
     * Makes an actor that handles no more messages than a limit allows, and answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param limit the limit
     * @param handler what it does with a message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> newRateLimitedWithReturn(RateLimit limit,
            ReplyHandler<M, R> handler) {
        var throttle = throttle(limit);
        Objects.requireNonNull(handler, "handler");
        ReplyHandler<M, R> slow = message -> {
            throttle.await();
            return handler.handle(message);
        };
        return newActorWithReturn(slow);
    }

    private Throttle throttle(RateLimit limit) {
        StuckLimit.refuse(spec, "rate-limited",
                "its handler's time would be that of the rate; let it hand its messages to another actor");
        return new Throttle(time(), limit);
    }

    /**
     * Returns actors by key. The actor of a key is made when the first message of this key comes.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param options how long actors live without messages, and how many may live at a time
     * @param keyOf returns the key of a message
     * @param factory makes the handler of a key; the handler takes a context
     * @return the actors
     */
    public <K, M, R extends @Nullable Object> KeyedActors<K, M, R> newKeyed(KeyedOptions options,
            Function<? super M, ? extends K> keyOf, Function<? super K, ?> factory) {
        return Scope.of(spec).wiring().newKeyed(spec, options, keyOf, factory);
    }

    /**
     * Makes an actor as {@link #newWorkers} does, with limits for the workers that work at a time and for the
     * messages that wait for them.
     *
     * @param <M> type of the messages
     * @param workers how many work at a time
     * @param waiting how many messages may wait
     * @param worker what to do with one message
     * @return the actor
     */
    public <M> Actor<M, Void> newBoundedWorkers(int workers, int waiting, Handler<M> worker) {
        return bounded(workers, waiting, Behaviors.handler(worker));
    }

    /**
     * Makes an actor as {@link #newWorkersWithReturn} does, with limits for the workers that work at a time and for
     * the messages that wait for them.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param workers how many work at a time
     * @param waiting how many messages may wait
     * @param worker what to do with one message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> newBoundedWorkersWithReturn(int workers, int waiting,
            ReplyHandler<M, R> worker) {
        return bounded(workers, waiting, Behaviors.replying(worker));
    }

    /**
     * Returns a bulkhead that has the name of this builder.
     *
     * @param calls the number of calls that may run at a time
     * @param waiting the number of calls that may wait
     * @return the bulkhead
     */
    public Bulkhead newBulkhead(int calls, int waiting) {
        var name = spec.name();
        return CallGate.of(name == null ? "anonymous" : name, calls, waiting);
    }

    private <M, R extends @Nullable Object> Actor<M, R> bounded(int count, int waiting, Behavior worker) {
        refuseWorkers();
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting must not be negative: " + waiting);
        }
        if (count < 1) {
            throw new IllegalArgumentException("workers must be at least 1: " + count);
        }
        var limited = spec.on(CreationStrategy.limited(spec.strategy(), count));
        var workers = new WorkersBehavior(limited, worker,
                new Quota((int) Math.min(Integer.MAX_VALUE, (long) count + waiting)));
        var master = new Builder(spec.with(MailboxPolicy.unbounded()));
        return make(master, workers);
    }

    /**
     * Opens a scope for the actors that do the work of one actor. They have the strategy, the mailbox and the
     * failure policy of this builder. The caller closes the scope.
     *
     * @param what what the actors are; a part of the scope's name
     * @return the scope
     */
    public ActorScope crew(String what) {
        StuckLimit.refuse(spec, "a server", "it has time limits of its own");
        return Scope.of(spec).crew(spec, what);
    }

    /**
     * Returns the clock and the timers of the actors.
     *
     * @return the scope's time
     */
    public TimeSource time() {
        return spec.scope().time();
    }

    /**
     * Returns the time that the actors have for their queued messages when their scope is closed.
     *
     * @return the scope's time-out
     */
    public Duration closeTimeout() {
        return spec.scope().closeTimeout();
    }

    /**
     * Returns a builder with an exit hook that runs before the hooks that this builder has. So what works for an
     * actor ends first, and the user's hooks see that it has ended. If the actor is stopped by force, the interrupt
     * flag is set while the hook runs, whenever the interrupt came.
     *
     * @param hook the hook
     * @return the builder
     */
    public Builder onExitFirst(Body hook) {
        return new Builder(spec.first(new FirstExitHook(hook)));
    }

    /**
     * Returns the strategy of actors that mostly wait for I/O. They do not run on a bounded pool, since they would
     * occupy its few threads while they wait.
     *
     * @return fibers if the strategy is a bounded pool, else the strategy
     */
    public CreationStrategy waitingStrategy() {
        return spec.placement().boundedPool() ? Strategies.FIBERS : spec.strategy();
    }

    /**
     * Returns whether a fiber may run the code of the actors itself. This is so if the strategy is fibers or the
     * caller's thread.
     *
     * @return {@code true} if a fiber may run it
     */
    public boolean runsInPlaceOnFibers() {
        return spec.strategy().equals(Strategies.FIBERS) || spec.strategy().equals(Strategies.CALLER);
    }

    private void refuseWorkers() {
        StuckLimit.refuse(spec, "a master of workers",
                "each message has an actor of its own there, which nobody waits behind");
    }

    private <M, R extends @Nullable Object> Actor<M, R> workers(Behavior worker) {
        refuseWorkers();
        var workers = new WorkersBehavior(spec, worker);
        return make(this, workers);
    }

    /**
     * Makes the actor that starts the workers. If that fails this method closes the scope of the workers, since no
     * actor would.
     */
    private static <M, R extends @Nullable Object> Actor<M, R> make(Builder master, WorkersBehavior workers) {
        Handle<M, R> made;
        try {
            made = master.make((Behavior) workers);
        } catch (Throwable notMade) {
            workers.close();
            throw notMade;
        }
        return made.closeOnExit(workers);
    }

    private <M, R extends @Nullable Object> Handle<M, R> make(Behavior behavior) {
        return make(behavior, null);
    }

    private <M, R extends @Nullable Object> Handle<M, R> make(Behavior behavior, @Nullable Node first) {
        return ActorFactory.make(spec, behavior, first);
    }

    @Override
    public String toString() {
        return "ActorBuilder[" + spec + "]";
    }
}
