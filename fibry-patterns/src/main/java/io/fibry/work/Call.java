package io.fibry.work;

import io.fibry.ActorScope;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Something that can be started, and started again: an ask, code that runs in an actor, or any other work with a future, such
 * as {@code () -> prices.ask("tea", timeout)}. A {@link CallPolicy} starts it. The first attempt begins on the thread of the
 * caller, and a later one in an actor of the policy's scope; so {@code start} should return at once.
 *
 * @param <T> type of the result
 */
@FunctionalInterface
public interface Call<T extends @Nullable Object> {
    /**
     * Starts an attempt.
     *
     * @return the future of its result; it is cancelled if the result is not wanted any more
     * @throws Exception if the attempt cannot be started; it has failed with this exception
     */
    CompletableFuture<T> start() throws Exception;

    /**
     * Returns a call that runs code in a new actor of a scope, on the strategy of that scope. The code may block, and is
     * interrupted if its result is not wanted any more. What it throws is a failure of that actor, which is reported.
     *
     * @param <T> type of the result
     * @param scope the scope
     * @param code the code
     * @return the call
     */
    static <T extends @Nullable Object> Call<T> inActor(ActorScope scope, Callable<T> code) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(code, "code");
        return () -> {
            var actor = scope.anonymous().interruptOnCancel().newActor((Object message) -> {
            });
            var result = actor.execFuture(code);
            actor.sendPoisonPill();
            return result;
        };
    }
}
