package io.fibry.work;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts calls in a way of its own: {@link Retry} again after a failure, {@link Hedge} twice, {@link CircuitBreaker} not at
 * all while too many fail, {@link RateLimiter} not too often. Policies can be put around each other:
 *
 * <pre>{@code
 * var careful = retry.around(breaker.around(hedge));
 * var answer = careful.start(() -> prices.ask("tea")).get();
 * }</pre>
 *
 * <p>Implementations are thread-safe. A program may implement this interface.
 */
@FunctionalInterface
public interface CallPolicy {
    /**
     * Starts a call. This method does not wait. The cancellation of the future cancels the attempts that are under way.
     *
     * @param <T> type of the result
     * @param call the call
     * @return the result; it always completes if the attempts complete
     */
    <T extends @Nullable Object> CompletableFuture<T> start(Call<T> call);

    /**
     * Returns a policy by which this policy starts what another one starts.
     *
     * @param inner the other policy
     * @return both together
     */
    default CallPolicy around(CallPolicy inner) {
        return new NestedPolicy(this, Objects.requireNonNull(inner, "inner"));
    }
}
