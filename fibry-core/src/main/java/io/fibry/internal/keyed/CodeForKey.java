package io.fibry.internal.keyed;

import io.fibry.Actor;
import io.fibry.StatefulActor;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.handle.Handle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Code for the actor of a key, which is given to that actor when it is found or made. */
final class CodeForKey {
    private CodeForKey() {
    }

    /** Code without a result. */
    record Running<S, M, R extends @Nullable Object>(Handler<S> code)
            implements
                Function<StatefulActor<S, M, R>, CompletableFuture<@Nullable Object>> {
        @Override
        @SuppressWarnings("unchecked") // the actor has a state of this type
        public CompletableFuture<@Nullable Object> apply(StatefulActor<S, M, R> actor) {
            return ((Handle<M, R>) (Actor<M, R>) actor).taskWithState((Handler<Object>) code);
        }
    }

    /** Code with a result, with a time limit or without. */
    record Calling<S, M, R extends @Nullable Object, T extends @Nullable Object>(
            ReplyHandler<S, T> code, @Nullable Duration timeout)
            implements
                Function<StatefulActor<S, M, R>, CompletableFuture<T>> {
        @Override
        public CompletableFuture<T> apply(StatefulActor<S, M, R> actor) {
            return timeout == null ? actor.execFutureWithState(code)
                    : actor.execFutureWithState(code, timeout);
        }
    }
}
