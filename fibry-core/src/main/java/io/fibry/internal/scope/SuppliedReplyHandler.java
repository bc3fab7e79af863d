package io.fibry.internal.scope;

import io.fibry.ActorContext;
import io.fibry.function.ReplyHandler;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A factory of handlers that answer and need no context. */
record SuppliedReplyHandler<M, R extends @Nullable Object>(Supplier<? extends ReplyHandler<M, R>> factory)
        implements
            ReplyHandler<ActorContext<M, R>, ReplyHandler<M, R>> {
    @Override
    public ReplyHandler<M, R> handle(ActorContext<M, R> context) {
        return factory.get();
    }
}
