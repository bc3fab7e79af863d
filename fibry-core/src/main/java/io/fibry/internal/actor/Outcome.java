package io.fibry.internal.actor;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future that fails with the very exception that a handler has thrown. A plain {@link CompletableFuture}
 * mistakes a {@link CompletionException} for its own wrapper and a {@link CancellationException} for its own
 * cancellation: the asker would get the cause of the former, and would take the latter for his own
 * cancellation. This class therefore puts these two into a wrapper, which the future removes wherever it
 * removes its own. The methods that pass on the failure unchanged remove it here.
 */
abstract class Outcome<T extends @Nullable Object> extends CompletableFuture<T> {
    /** The wrapper of what a handler has thrown. */
    private static final class Thrown extends CompletionException {
        private static final long serialVersionUID = 1;

        Thrown(Throwable failure) {
            super(null, failure); // the text of the failure is not read here, since its toString may throw
        }
    }

    /** Returns what to fail the future with so that the asker gets {@code thrown}. */
    static Throwable of(Throwable thrown) {
        return thrown instanceof CompletionException || thrown instanceof CancellationException
                ? new Thrown(thrown)
                : thrown;
    }

    /**
     * Returns whether the handler itself completes this future. Futures that depend on it get its failure in
     * a wrapper, as those of any {@code CompletableFuture} do.
     */
    public abstract boolean isDirect();

    /** Returns whether this future is the answer of a request, to which the handler makes a reply. */
    public boolean isOfRequest() {
        return false;
    }

    /** Returns whether this answer is over by now, even if no timer has noticed that. Called by the turn. */
    public boolean isOverByNow() {
        return isDone();
    }

    /** Throws if the calling actor can never see the completion, so that it must not wait for it. */
    public void requireWaitable() {
    }

    private @Nullable Throwable open(@Nullable Throwable failure) {
        return failure instanceof Thrown && isDirect() ? failure.getCause() : failure;
    }

    private record Handling<T extends @Nullable Object, U extends @Nullable Object>(Outcome<?> outcome,
            BiFunction<? super T, Throwable, ? extends U> fn) implements BiFunction<T, Throwable, U> {
        @Override
        @SuppressWarnings("NullAway") // the JDK passes null where nothing has failed
        public U apply(T value, Throwable failure) {
            return fn.apply(value, outcome.open(failure));
        }
    }

    private record Hearing<T extends @Nullable Object>(Outcome<?> outcome,
            BiConsumer<? super T, ? super @Nullable Throwable> action)
            implements
                BiConsumer<T, @Nullable Throwable> {
        @Override
        public void accept(T value, @Nullable Throwable failure) {
            action.accept(value, outcome.open(failure));
        }
    }

    private record Recovering<U extends @Nullable Object>(Outcome<?> outcome, Function<Throwable, U> fn)
            implements
                Function<Throwable, U> {
        @Override
        public U apply(Throwable failure) {
            return fn.apply(Objects.requireNonNull(outcome.open(failure)));
        }
    }

    private <U extends @Nullable Object> BiFunction<? super T, Throwable, ? extends U> handling(
            BiFunction<? super T, Throwable, ? extends U> fn) {
        Objects.requireNonNull(fn, "fn");
        return new Handling<>(this, fn);
    }

    private BiConsumer<? super T, ? super @Nullable Throwable> hearing(
            BiConsumer<? super T, ? super @Nullable Throwable> action) {
        Objects.requireNonNull(action, "action");
        return new Hearing<>(this, action);
    }

    private <U extends @Nullable Object> Function<Throwable, U> recovering(Function<Throwable, U> fn) {
        Objects.requireNonNull(fn, "fn");
        return new Recovering<>(this, fn);
    }

    /** The code of {@link #completeAsync}. Its failure is wrapped, as that of a plain future is. */
    private record Completing<T extends @Nullable Object>(Outcome<T> outcome,
            Supplier<? extends T> supplier)
            implements
                Runnable,
                AsynchronousCompletionTask {
        @Override
        public void run() {
            if (outcome.isDone()) {
                return;
            }
            T value;
            try {
                value = supplier.get();
            } catch (Throwable failure) {
                outcome.completeExceptionally(failure instanceof CompletionException ? failure
                        : new CompletionException(failure));
                return;
            }
            outcome.complete(value);
        }
    }

    // In CompletableFuture, these methods complete the future without a call of complete, completeExceptionally or
    // cancel. Subclasses override those three, to decide which thread is the first.

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier) {
        return completeAsync(supplier, defaultExecutor());
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        Objects.requireNonNull(executor, "executor").execute(new Completing<>(this, supplier));
        return this;
    }

    @Override
    public void obtrudeValue(T value) {
        complete(value);
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable failure) {
        completeExceptionally(failure);
        super.obtrudeException(failure);
    }

    @Override
    public <U> CompletableFuture<U> handle(BiFunction<? super T, Throwable, ? extends U> fn) {
        return super.handle(handling(fn));
    }

    @Override
    public <U> CompletableFuture<U> handleAsync(BiFunction<? super T, Throwable, ? extends U> fn) {
        return super.handleAsync(handling(fn));
    }

    @Override
    public <U> CompletableFuture<U> handleAsync(BiFunction<? super T, Throwable, ? extends U> fn,
            Executor executor) {
        return super.handleAsync(handling(fn), executor);
    }

    @Override
    public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super @Nullable Throwable> action) {
        return super.whenComplete(hearing(action));
    }

    @Override
    public CompletableFuture<T> whenCompleteAsync(BiConsumer<? super T, ? super @Nullable Throwable> action) {
        return super.whenCompleteAsync(hearing(action));
    }

    @Override
    public CompletableFuture<T> whenCompleteAsync(BiConsumer<? super T, ? super @Nullable Throwable> action,
            Executor executor) {
        return super.whenCompleteAsync(hearing(action), executor);
    }

    @Override
    public CompletableFuture<T> exceptionally(Function<Throwable, ? extends T> fn) {
        return super.exceptionally(recovering(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyAsync(Function<Throwable, ? extends T> fn) {
        return super.exceptionallyAsync(recovering(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyAsync(Function<Throwable, ? extends T> fn, Executor executor) {
        return super.exceptionallyAsync(recovering(fn), executor);
    }

    @Override
    public CompletableFuture<T> exceptionallyCompose(Function<Throwable, ? extends CompletionStage<T>> fn) {
        return super.exceptionallyCompose(recovering(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyComposeAsync(
            Function<Throwable, ? extends CompletionStage<T>> fn) {
        return super.exceptionallyComposeAsync(recovering(fn));
    }

    @Override
    public CompletableFuture<T> exceptionallyComposeAsync(
            Function<Throwable, ? extends CompletionStage<T>> fn,
            Executor executor) {
        return super.exceptionallyComposeAsync(recovering(fn), executor);
    }
}
