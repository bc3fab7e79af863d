package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.util.function.Supplier;

/** A factory of handlers that need no context. */
record SuppliedHandler<M>(
        Supplier<? extends Handler<M>> factory) implements ReplyHandler<ActorContext<M, Void>, Handler<M>> {
    @Override
    public Handler<M> handle(ActorContext<M, Void> context) {
        return factory.get();
    }
}
