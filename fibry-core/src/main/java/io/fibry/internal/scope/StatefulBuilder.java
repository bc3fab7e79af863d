package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.StatefulActor;
import io.fibry.StatefulActorBuilder;
import io.fibry.function.Body;
import io.fibry.function.ContextStateBody;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.actor.StartHook;
import io.fibry.internal.actor.StartNode;
import io.fibry.internal.actor.Turn;
import io.fibry.message.BatchOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The builder of actors that have a state. */
final class StatefulBuilder<S> implements StatefulActorBuilder<S> {
    private final Builder builder;
    private final Supplier<? extends S> initial;
    private final List<ContextStateBody<S, Object>> startHooks;
    private final List<Handler<S>> exitHooks;

    StatefulBuilder(Builder builder, Supplier<? extends S> initial) {
        this(builder, initial, List.of(), List.of());
    }

    private StatefulBuilder(Builder builder, Supplier<? extends S> initial,
            List<ContextStateBody<S, Object>> startHooks, List<Handler<S>> exitHooks) {
        this.builder = builder;
        this.initial = initial;
        this.startHooks = startHooks;
        this.exitHooks = exitHooks;
    }

    @Override
    public StatefulActorBuilder<S> onStart(Handler<S> hook) {
        return starting(new WithoutContext<>(Objects.requireNonNull(hook, "hook")));
    }

    @Override
    @SuppressWarnings("unchecked") // the program says which messages the actors take
    public <M> StatefulActorBuilder<S> onStart(ContextStateBody<S, M> hook) {
        return starting((ContextStateBody<S, Object>) Objects.requireNonNull(hook, "hook"));
    }

    private StatefulBuilder<S> starting(ContextStateBody<S, Object> hook) {
        return new StatefulBuilder<>(builder, initial, longer(startHooks, hook), exitHooks);
    }

    @Override
    public StatefulActorBuilder<S> onExit(Handler<S> hook) {
        return new StatefulBuilder<>(builder, initial, startHooks,
                longer(exitHooks, Objects.requireNonNull(hook, "hook")));
    }

    private static <T> List<T> longer(List<T> hooks, T hook) {
        var longer = new ArrayList<>(hooks);
        longer.add(hook);
        return List.copyOf(longer);
    }

    @Override
    public <M> StatefulActor<S, M, Void> newActor(StateHandler<S, M> handler) {
        var state = new State<S>(initial);
        return make(builder, state, StatefulBehavior.telling(state, handler));
    }

    @Override
    public <M> StatefulActor<S, M, Void> newActor(ContextStateHandler<S, M> handler) {
        var state = new State<S>(initial);
        return make(builder, state, StatefulBehavior.telling(state, handler));
    }

    @Override
    public <M, R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            StateReplyHandler<S, M, R> handler) {
        var state = new State<S>(initial);
        return make(builder, state, StatefulBehavior.replying(state, handler));
    }

    @Override
    public <M, R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            ContextStateReplyHandler<S, M, R> handler) {
        var state = new State<S>(initial);
        return make(builder, state, StatefulBehavior.replying(state, handler));
    }

    @Override
    public <M> StatefulActor<S, M, Void> newBatchActor(BatchOptions<M> options,
            StateHandler<S, List<M>> handler) {
        var state = new State<S>(initial);
        return make(builder.batching(options), state, StatefulBehavior.telling(state, handler));
    }

    private <M, R extends @Nullable Object> StatefulActor<S, M, R> make(Builder maker, State<S> state,
            StatefulBehavior<S> behavior) {
        var hooks = hooksOf(maker, state);
        var whole = StartBehavior.around(behavior, hooks);
        // A hook for the end needs a state, so such an actor does not wait for its first message.
        var first = hooks.isEmpty() && exitHooks.isEmpty() ? null : new StartNode();
        return stateful(ending(maker, state).<M, R>make(whole, first));
    }

    private List<StartHook> hooksOf(Builder maker, State<S> state) {
        if (startHooks.isEmpty()) {
            return maker.spec().startHooks();
        }
        var hooks = new ArrayList<>(maker.spec().startHooks());
        for (var hook : startHooks) {
            hooks.add(new Start<>(state, hook));
        }
        return List.copyOf(hooks);
    }

    private Builder ending(Builder maker, State<S> state) {
        var ending = maker;
        for (var hook : exitHooks) {
            ending = new Builder(ending.spec().with(new Exit<>(state, hook)));
        }
        return ending;
    }

    @SuppressWarnings("unchecked") // the handler takes a state of this type
    private static <S, M, R extends @Nullable Object> StatefulActor<S, M, R> stateful(Handle<M, R> made) {
        return (StatefulActor<S, M, R>) (StatefulActor<?, M, R>) made;
    }

    private record WithoutContext<S>(Handler<S> hook) implements ContextStateBody<S, Object> {
        @Override
        public void run(ActorContext<Object, ?> context, S state) throws Exception {
            hook.handle(state);
        }
    }

    private record Start<S>(State<S> state, ContextStateBody<S, Object> hook) implements StartHook {
        @Override
        public void run(Turn turn) throws Exception {
            hook.run(Context.of(turn.cell), state.value(turn));
        }
    }

    /** Runs a hook at the end, unless there is no state: it could not be made, or its handler was abandoned. */
    private record Exit<S>(State<S> state, Handler<S> hook) implements Body {
        @Override
        public void run() throws Exception {
            var made = state.ifMade();
            if (made != null) {
                hook.handle(made);
            }
        }
    }

    @Override
    public String toString() {
        return "Stateful" + builder;
    }
}
