package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.StatefulActorBuilder;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The builder of actors that have a state. */
final class StatefulBuilder<S> implements StatefulActorBuilder<S> {
    private final Builder builder;
    private final Supplier<? extends S> initial;

    StatefulBuilder(Builder builder, Supplier<? extends S> initial) {
        this.builder = builder;
        this.initial = initial;
    }

    @Override
    public <M> Actor<M, Void> newActor(StateHandler<S, M> handler) {
        return builder.make(Behaviors.stateful(initial, handler));
    }

    @Override
    public <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(
            StateReplyHandler<S, M, R> handler) {
        return builder.make(Behaviors.statefulReplying(initial, handler));
    }
}
