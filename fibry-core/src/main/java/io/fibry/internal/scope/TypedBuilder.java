package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ReceivingContext;
import io.fibry.ReceivingReplyContext;
import io.fibry.TypedActorBuilder;
import io.fibry.TypedStatefulActorBuilder;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReceivingReplyHandler;
import io.fibry.function.ReplyHandler;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A builder that knows the type of the messages. Only the compiler uses the type. */
record TypedBuilder<M>(Builder builder) implements TypedActorBuilder<M> {
    @Override
    public <S> TypedStatefulActorBuilder<S, M> state(Supplier<? extends S> initial) {
        return new TypedStatefulBuilder<>(builder.newStateful(initial));
    }

    @Override
    public Actor<M, Void> newActor(Handler<M> handler) {
        return builder.newActor(handler);
    }

    @Override
    public Actor<M, Void> newActor(ContextHandler<M> handler) {
        return builder.newActor(handler);
    }

    @Override
    public <R extends @Nullable Object> Actor<M, R> newActorWithReturn(ReplyHandler<M, R> handler) {
        return builder.newActorWithReturn(handler);
    }

    @Override
    public <R extends @Nullable Object> Actor<M, R> newActorWithReturn(ContextReplyHandler<M, R> handler) {
        return builder.newActorWithReturn(handler);
    }

    @Override
    public Actor<M, Void> newActorFrom(ReplyHandler<ActorContext<M, Void>, Handler<M>> factory) {
        return builder.newActorFrom(factory);
    }

    @Override
    public <R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            ReplyHandler<ActorContext<M, R>, ReplyHandler<M, R>> factory) {
        return builder.newActorWithReturnFrom(factory);
    }

    @Override
    public Actor<M, Void> newReceivingActor(ReceivingHandler<M> handler) {
        return builder.newReceivingActor(handler);
    }

    @Override
    public Actor<M, Void> newReceivingActor(Handler<ReceivingContext<M>> body) {
        return builder.newReceivingActor(body);
    }

    @Override
    public <R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(
            ReceivingReplyHandler<M, R> handler) {
        return builder.newReceivingActorWithReturn(handler);
    }

    @Override
    public <R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(
            Handler<ReceivingReplyContext<M, R>> body) {
        return builder.newReceivingActorWithReturn(body);
    }

    @Override
    public String toString() {
        return "Typed" + builder;
    }
}
