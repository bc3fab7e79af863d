package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.StatefulActor;
import io.fibry.TypedStatefulActorBuilder;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import org.jspecify.annotations.Nullable;

/** A builder that knows the types of the state and of the messages. Only the compiler uses them. */
record TypedStatefulBuilder<S, M>(StatefulBuilder<S> builder) implements TypedStatefulActorBuilder<S, M> {
    @Override
    public TypedStatefulActorBuilder<S, M> onStart(StateHandler<ActorContext<M, ?>, S> hook) {
        return new TypedStatefulBuilder<>(builder.startingWith(hook));
    }

    @Override
    public StatefulActor<S, M, Void> newActor(StateHandler<S, M> handler) {
        return builder.newActor(handler);
    }

    @Override
    public StatefulActor<S, M, Void> newActor(ContextStateHandler<S, M> handler) {
        return builder.newActor(handler);
    }

    @Override
    public <R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            StateReplyHandler<S, M, R> handler) {
        return builder.newActorWithReturn(handler);
    }

    @Override
    public <R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            ContextStateReplyHandler<S, M, R> handler) {
        return builder.newActorWithReturn(handler);
    }

    @Override
    public String toString() {
        return "Typed" + builder;
    }
}
