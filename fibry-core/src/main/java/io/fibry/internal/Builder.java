package io.fibry.internal;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.Body;
import io.fibry.CloseBehavior;
import io.fibry.ContextHandler;
import io.fibry.ContextReplyHandler;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.Handler;
import io.fibry.MailboxPolicy;
import io.fibry.ReceivingBody;
import io.fibry.ReceivingHandler;
import io.fibry.ReplyHandler;
import io.fibry.StateHandler;
import io.fibry.StateReplyHandler;
import io.fibry.StatefulActorBuilder;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns wishes into an {@link ActorSpec}, and that into actors. */
public final class Builder implements ActorBuilder {
    private final ActorSpec spec;

    Builder(ActorSpec spec) {
        this.spec = spec;
    }

    ActorSpec spec() {
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
    public <M> Actor<M, Void> newReceivingActor(ReceivingHandler<M> handler) {
        return new Builder(spec.asReceiving()).make(Behaviors.receiving(handler));
    }

    @Override
    public <M> Actor<M, Void> newReceivingActor(ReceivingBody<M> body) {
        Objects.requireNonNull(body, "body");
        return new Builder(spec.asReceiving()).make(Behaviors.body(body), new BodyNode(body, true));
    }

    /**
     * Makes an actor that runs a piece of code and stops.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> newRunOnce(Body body) {
        Objects.requireNonNull(body, "body");
        ReceivingBody<M> whole = context -> body.run();
        return new Builder(spec.asReceiving()).make(Behaviors.body(whole), new BodyNode(whole, false));
    }

    /**
     * Makes an actor that hands each message to an actor of its own.
     *
     * @param <M> type of the messages
     * @param worker what to do with one message
     * @return the actor
     */
    public <M> Actor<M, Void> newWorkers(Handler<M> worker) {
        return workers(Behaviors.handler(worker));
    }

    /**
     * Makes an actor that hands each message to an actor of its own, which answers.
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
     * Opens a scope for the actors that do an actor's work: they run where that one would, with its mailbox
     * and what follows its failures. Its owner closes it.
     *
     * @param what they are, in the scope's name
     * @return the scope
     */
    public ActorScope crew(String what) {
        return spec.scope().crew(spec, what);
    }

    /**
     * The clock and timers of the actors.
     *
     * @return the scope's time
     */
    public TimeSource time() {
        return spec.scope().time();
    }

    /**
     * How long the actors may take for what is queued when their scope is closed.
     *
     * @return the scope's time-out
     */
    public Duration closeTimeout() {
        return spec.scope().closeTimeout();
    }

    /**
     * Whether a fiber may run the actors' code itself: the strategy is fibers or the caller's thread.
     *
     * @return true if it may
     */
    public boolean runsInPlaceOnFibers() {
        return spec.strategy().equals(Strategies.FIBERS) || spec.strategy().equals(Strategies.CALLER);
    }

    private <M, R extends @Nullable Object> Actor<M, R> workers(Behavior worker) {
        var workers = new Workers(spec, worker);
        return this.<M, R>make(workers).closeOnExit(workers);
    }

    private <M, R extends @Nullable Object> Handle<M, R> make(Behavior behavior) {
        return make(behavior, null);
    }

    private <M, R extends @Nullable Object> Handle<M, R> make(Behavior behavior, @Nullable Node first) {
        Handle<M, R> cell = cell(spec, behavior);
        for (var hook : spec.exitHooks()) {
            cell.companion().addHook(hook);
        }
        spec.scope().admit(cell, first);
        return cell;
    }

    static <M, R extends @Nullable Object> Handle<M, R> cell(ActorSpec spec, Behavior behavior) {
        return spec.mailbox() instanceof MailboxPolicy.Bounded bounded
                ? new BoundedCell<>(spec, behavior, bounded)
                : new UnboundedCell<>(spec, behavior);
    }
}
