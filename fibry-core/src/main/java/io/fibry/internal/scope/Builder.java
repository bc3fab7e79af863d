package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorGroup;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Interceptor;
import io.fibry.MailboxPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ReceivingReplyContext;
import io.fibry.StatefulActorBuilder;
import io.fibry.TypedActorBuilder;
import io.fibry.function.Body;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReceivingReplyHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.abandon.StuckLimit;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.aside.Stash;
import io.fibry.internal.aside.UrgentLane;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.layer.ReceivingLayer;
import io.fibry.internal.receive.BodyNode;
import io.fibry.internal.signal.OpeningNode;
import io.fibry.internal.timer.IdleStop;
import io.fibry.keyed.KeyedBuilder;
import java.time.Duration;
import java.util.Objects;
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
    public ActorBuilder onStart(Body hook) {
        return new Builder(StartHooks.with(spec, new Start(Objects.requireNonNull(hook, "hook"))));
    }

    @Override
    @SuppressWarnings("unchecked") // the program says which messages the actors take
    public <M> ActorBuilder onStart(Handler<ActorContext<M, ?>> hook) {
        return new Builder(StartHooks.with(spec,
                new StartInside((Handler<ActorContext<Object, ?>>) (Handler<?>) Objects.requireNonNull(hook,
                        "hook"))));
    }

    private record Start(Body hook) implements StartHook {
        @Override
        public void run(Turn turn, Behavior started) throws Exception {
            hook.run();
        }
    }

    private record StartInside(Handler<ActorContext<Object, ?>> hook) implements StartHook {
        @Override
        public void run(Turn turn, Behavior started) throws Exception {
            hook.handle(Context.of(turn.cell));
        }
    }

    @Override
    public ActorBuilder onExit(Body hook) {
        return new Builder(spec.with(Objects.requireNonNull(hook, "hook")));
    }

    @Override
    public ActorBuilder interruptOnCancel() {
        return new Builder(spec.interruptedOnCancel(true));
    }

    @Override
    public ActorBuilder runByCallers() {
        return new Builder(spec.byCallers(true));
    }

    @Override
    public ActorBuilder ownStack() {
        return new Builder(spec.onOwnStack(true));
    }

    @Override
    public ActorBuilder stopPhase(int phase) {
        return new Builder(spec.stoppedIn(phase));
    }

    @Override
    public ActorBuilder stopWhenIdle(Duration quiet) {
        return new Builder(spec.with(new IdleStop.After(Durations.positiveNanos(quiet, "quiet"))));
    }

    @Override
    public ActorBuilder urgent(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "at least 1 urgent message has to be allowed to wait: " + capacity);
        }
        return new Builder(spec.with(new UrgentLane.Limit(capacity)));
    }

    @Override
    public ActorBuilder keepFailedMessages() {
        return new Builder(spec.keepingFailed(true));
    }

    @Override
    public ActorBuilder stash(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("the capacity of a stash must be at least 1: " + capacity);
        }
        return new Builder(spec.with(new Stash.Limit(capacity)));
    }

    @Override
    public ActorBuilder abandonStuck(Duration limit, Duration grace) {
        return new Builder(spec.with(new StuckLimit(Durations.positiveNanos(limit, "limit"),
                Durations.nanos(grace, "grace"))));
    }

    @Override
    public ActorBuilder around(Interceptor interceptor) {
        return new Builder(
                Interceptors.with(spec, Objects.requireNonNull(interceptor, "interceptor"), false));
    }

    @Override
    public Builder withoutDefaults() {
        return new Builder(Setting.handDown(spec, Setting.Heir.OWN));
    }

    /** Returns a builder of what can have the settings of this one; throws if it cannot. */
    Builder of(Setting.Form form) {
        return new Builder(Setting.fitting(spec, form));
    }

    /** Returns a builder of actors whose handler or body receives messages itself. */
    private Builder receiving(Setting.Form form) {
        return new Builder(Setting.fitting(spec, form).sameWith(ReceivingLayer.INSTANCE));
    }

    @Override
    public <S> StatefulActorBuilder<S> state(Supplier<? extends S> initial) {
        return newStateful(initial);
    }

    <S> StatefulBuilder<S> newStateful(Supplier<? extends S> initial) {
        return new StatefulBuilder<>(this, Objects.requireNonNull(initial, "initial"));
    }

    @Override
    public <M> TypedActorBuilder<M> of(Class<M> messages) {
        Objects.requireNonNull(messages, "messages");
        return new TypedBuilder<>(this);
    }

    @Override
    public <K, M> KeyedBuilder<K, M> keyed(Function<? super M, ? extends K> keyOf) {
        return new KeyedSpec<>(spec, keyOf);
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
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(ReplyHandler<M, R> handler) {
        return make(Behaviors.replying(handler));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(ContextReplyHandler<M, R> handler) {
        return make(Behaviors.contextReplying(handler));
    }

    @Override
    public <M> Actor<M, Void> newActorFrom(ReplyHandler<ActorContext<M, Void>, Handler<M>> factory) {
        return start(Behaviors.made(factory), true);
    }

    @Override
    public <M> Actor<M, Void> newActorFrom(Supplier<? extends Handler<M>> factory) {
        Objects.requireNonNull(factory, "factory");
        return newActorFrom(new SuppliedHandler<M>(factory));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            ReplyHandler<ActorContext<M, R>, ReplyHandler<M, R>> factory) {
        return start(Behaviors.madeReplying(factory), true);
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            Supplier<? extends ReplyHandler<M, R>> factory) {
        Objects.requireNonNull(factory, "factory");
        return newActorWithReturnFrom(new SuppliedReplyHandler<M, R>(factory));
    }

    @Override
    public ActorGroup newGroup(GroupPolicy policy) {
        return Scope.of(spec).wiring().newGroup(of(Setting.Form.GROUP),
                Objects.requireNonNull(policy, "policy"));
    }

    @Override
    public <M> Actor<M, Void> newReceivingActor(ReceivingHandler<M> handler) {
        return receiving(Setting.Form.RECEIVING).make(Behaviors.receiving(handler));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(
            ReceivingReplyHandler<M, R> handler) {
        return receiving(Setting.Form.RECEIVING).make(Behaviors.receivingReplying(handler));
    }

    @Override
    @SuppressWarnings("unchecked") // the body answers, and what it answers has this type
    public <M, R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(
            Handler<ReceivingReplyContext<M, R>> body) {
        return (Actor<M, R>) (Actor<M, ?>) newBody(Behaviors.<M>answering(body), true);
    }

    @Override
    public <M> Actor<M, Void> newReceivingActor(Handler<ReceivingContext<M>> body) {
        Objects.requireNonNull(body, "body");
        return newBody(body, true);
    }

    <M> Actor<M, Void> newBody(Handler<ReceivingContext<M>> body, boolean receives) {
        var carried = spec.capture(null);
        return receiving(receives ? Setting.Form.RECEIVING : Setting.Form.BODY)
                .make(new BodyBehavior(body, receives, carried), new BodyNode(body, receives, carried));
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

    /** Makes an actor that is no body. Its hooks for the start run at once, or before its first message. */
    <M, R extends @Nullable Object> Handle<M, R> make(Behavior behavior) {
        return start(behavior, false);
    }

    /** Makes an actor. Its first node is there at once if {@code atOnce}, or if there are hooks for the start. */
    <M, R extends @Nullable Object> Handle<M, R> start(Behavior behavior, boolean atOnce) {
        return make(behavior,
                atOnce || spec.layer(StartHooks.class) != null ? OpeningNode.thatBegins() : null);
    }

    /** Makes an actor with its first node, if there is one. */
    <M, R extends @Nullable Object> Handle<M, R> make(Behavior behavior, @Nullable Node first) {
        return ActorFactory.make(spec, behavior, first);
    }

    @Override
    public String toString() {
        return "ActorBuilder[" + spec + "]";
    }
}
