package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.StatefulActor;
import io.fibry.StatefulActorBuilder;
import io.fibry.TypedStatefulActorBuilder;
import io.fibry.function.Body;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.handle.StateTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The builder of actors that have a state. */
final class StatefulBuilder<S> implements StatefulActorBuilder<S> {
    private final Builder builder;
    private final Supplier<? extends S> initial;
    private final List<Handler<S>> exitHooks;

    StatefulBuilder(Builder builder, Supplier<? extends S> initial) {
        this(builder, initial, List.of());
    }

    private StatefulBuilder(Builder builder, Supplier<? extends S> initial, List<Handler<S>> exitHooks) {
        this.builder = builder;
        this.initial = initial;
        this.exitHooks = exitHooks;
    }

    @Override
    public StatefulActorBuilder<S> onStart(Handler<S> hook) {
        return starting(new WithoutContext<>(Objects.requireNonNull(hook, "hook")));
    }

    @SuppressWarnings("unchecked") // the actors take these messages
    <M> StatefulBuilder<S> startingWith(StateHandler<ActorContext<M, ?>, S> hook) {
        return starting((StateHandler<ActorContext<Object, ?>, S>) (StateHandler<?, S>) Objects
                .requireNonNull(hook, "hook"));
    }

    private StatefulBuilder<S> starting(StateHandler<ActorContext<Object, ?>, S> hook) {
        return new StatefulBuilder<>(new Builder(StartHooks.with(builder.spec(), new Start<>(hook))), initial,
                exitHooks);
    }

    @Override
    public StatefulActorBuilder<S> onExit(Handler<S> hook) {
        var longer = new ArrayList<>(exitHooks);
        longer.add(Objects.requireNonNull(hook, "hook"));
        return new StatefulBuilder<>(builder, initial, List.copyOf(longer));
    }

    @Override
    public <M> TypedStatefulActorBuilder<S, M> of(Class<M> messages) {
        Objects.requireNonNull(messages, "messages");
        return new TypedStatefulBuilder<>(this);
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

    private <M, R extends @Nullable Object> StatefulActor<S, M, R> make(Builder maker, State<S> state,
            StatefulBehavior<S> behavior) {
        // A hook for the end needs a state, so such an actor does not wait for its first message.
        return stateful(ending(maker, state).<M, R>start(behavior, !exitHooks.isEmpty()));
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

    private record WithoutContext<S>(Handler<S> hook) implements StateHandler<ActorContext<Object, ?>, S> {
        @Override
        public void handle(ActorContext<Object, ?> context, S state) throws Exception {
            hook.handle(state);
        }
    }

    private record Start<S>(StateHandler<ActorContext<Object, ?>, S> hook) implements StartHook {
        @Override
        public void run(Turn turn, Behavior started) throws Exception {
            var unused = started.bound(turn, new StateTask(turn.cell, new Inside<>(turn, hook))).call();
        }
    }

    private record Inside<S>(Turn turn,
            StateHandler<ActorContext<Object, ?>, S> hook) implements ReplyHandler<Object, @Nullable Object> {
        @Override
        @SuppressWarnings("unchecked") // the state that the actor was built with
        public @Nullable Object handle(Object state) throws Exception {
            hook.handle(Context.of(turn.cell), (S) state);
            return null;
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
