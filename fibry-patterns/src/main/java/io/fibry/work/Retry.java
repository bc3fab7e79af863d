package io.fibry.work;

import io.fibry.ActorScope;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts a call again if it fails, after a pause. No thread waits for the pause: the next attempt begins in an actor of the
 * scope. The result is that of the first attempt that succeeds, or the failure of the last one.
 *
 * <p>If a handler with a time limit starts the call, no attempt begins after that limit: if the pause would not end before it,
 * the result fails at once with the last failure. The attempts have the time that is left, and the result fails when it is
 * over.
 *
 * <p>Objects are thread-safe. One of them serves any number of calls. When its scope ends, the calls that are in a pause fail
 * with an {@link io.fibry.ActorStoppedException}.
 */
public final class Retry implements CallPolicy {
    private final Environment environment;
    private final RetryOptions options;

    private Retry(Environment environment, RetryOptions options) {
        this.environment = environment;
        this.options = options;
    }

    /**
     * Makes a retry.
     *
     * @param scope has the clock, and the actors in which further attempts begin
     * @param name the name in events and exceptions
     * @param options the options
     * @return the retry
     * @throws IllegalStateException if the scope is closed
     */
    public static Retry open(ActorScope scope, String name, RetryOptions options) {
        var listener = Objects.requireNonNull(options, "options").listener();
        return new Retry(Environment.ofPolicy("retry", scope, name, listener), options);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> start(Call<T> call) {
        var pending = new PendingCall<>(environment, call);
        follow(pending, 1, pending.start());
        return pending.result();
    }

    private <T extends @Nullable Object> void follow(PendingCall<T> pending, int number,
            CompletableFuture<T> attempt) {
        var unused = attempt.whenComplete((value, failure) -> {
            if (failure == null) {
                pending.result().complete(value);
            } else if (!pending.result().isDone()) {
                failed(pending, number, PendingCall.causeOf(failure));
            }
        });
    }

    private <T extends @Nullable Object> void failed(PendingCall<T> pending, int number, Throwable cause) {
        try {
            if (number < options.attempts() && options.retries().test(cause)) {
                var pause = options.pauseAfter(number);
                if (pending.hasTimeFor(pause)) {
                    environment.tell(
                            new WorkEvent.AttemptFailed(environment.name(), number, cause, pause));
                    pending.startLater(pause, cause, attempt -> follow(pending, number + 1, attempt));
                    return;
                }
            }
            if (pending.result().completeExceptionally(cause)) {
                environment.tell(new WorkEvent.GaveUp(environment.name(), number, cause));
            }
        } catch (Throwable failure) { // of the predicate, or of the random numbers
            if (failure != cause) {
                failure.addSuppressed(cause);
            }
            pending.result().completeExceptionally(failure);
        }
    }

    @Override
    public String toString() {
        return "Retry[" + environment.name() + ", attempts: " + options.attempts() + "]";
    }
}
