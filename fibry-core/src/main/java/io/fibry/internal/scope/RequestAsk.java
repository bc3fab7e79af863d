package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The ask of a request, with a time limit or without. */
public record RequestAsk<A extends @Nullable Object>(Request<A> request, @Nullable Duration timeout)
        implements
            Function<Actor<?, ?>, CompletableFuture<A>> {
    @Override
    public CompletableFuture<A> apply(Actor<?, ?> actor) {
        return timeout == null ? actor.request(request) : actor.request(request, timeout);
    }
}
