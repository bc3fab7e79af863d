package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.function.Handler;
import io.fibry.function.HandlerFactory;
import java.util.function.Supplier;

/** A factory of handlers that need no context. */
record SuppliedHandler<M>(Supplier<? extends Handler<M>> factory) implements HandlerFactory<M> {
    @Override
    public Handler<M> create(ActorContext<M, Void> context) {
        return factory.get();
    }
}
