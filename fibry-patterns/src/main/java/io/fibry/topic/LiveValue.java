package io.fibry.topic;

import io.fibry.ActorScope;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

final class LiveValue<T> extends LiveObservable<T> implements ObservableValue<T> {
    /** Written under the lock. */
    private volatile T value;
    /** The id of the thread that has made the last change. Guarded by the lock. */
    private long changedBy;

    LiveValue(ActorScope scope, String name, ObservableOptions options, T initial) {
        super(scope, name, present(options, initial));
        this.value = initial;
    }

    /** Checks the value before a scope is opened. */
    private static <T> ObservableOptions present(ObservableOptions options, T initial) {
        Objects.requireNonNull(initial, "initial");
        return options;
    }

    @Override
    List<T> present() {
        return List.of(value);
    }

    @Override
    String state() {
        return "its value is " + Shown.of(value);
    }

    @Override
    Changes<T> changes(ObserverOptions observer) {
        return observer.coalesced() ? new Changes.Latest<>()
                : new Changes.All<>(observer.most());
    }

    @Override
    public T get() {
        return value;
    }

    @Override
    public T set(T next) {
        Objects.requireNonNull(next, "value");
        while (true) {
            var before = value;
            if (replaceIfSame(before, next)) {
                return before;
            }
        }
    }

    /** Sets the value unless this is closed. */
    void setIfOpen(T next) {
        try {
            set(next);
        } catch (IllegalStateException closed) {
            if (!isClosed()) {
                throw closed;
            }
        }
    }

    @Override
    public boolean compareAndSet(T expected, T next) {
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(next, "value");
        while (true) {
            requireOpen();
            var before = value;
            assert TopicMarks.here();
            if (!expected.equals(before)) {
                return false;
            }
            if (replaceIfSame(before, next)) {
                return true;
            }
        }
    }

    @Override
    public T update(UnaryOperator<T> function) {
        Objects.requireNonNull(function, "function");
        while (true) {
            var before = value;
            var next = Objects.requireNonNull(function.apply(before), "the new value of '" + name() + "'");
            if (replaceIfSame(before, next)) {
                return next;
            }
            requireChangeOfAnother();
        }
    }

    /** Throws if the calling thread has made the last change: its function would do so again each time. */
    private void requireChangeOfAnother() {
        lock.lock();
        try {
            if (changedBy == Thread.currentThread().threadId()) {
                throw new IllegalStateException(
                        "the function of an update of '" + name() + "' sets '" + name()
                                + "' itself, so the update would never end; return the new value instead");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Compares by identity: the caller has seen this very object. The values are compared without the lock. */
    @SuppressWarnings("ReferenceEquality")
    private boolean replaceIfSame(T before, T next) {
        var isChange = !next.equals(before);
        assert TopicMarks.here();
        List<Observer<T>> waking = List.of();
        lock.lock();
        try {
            requireOpen();
            // mutant: change-in-between-is-overwritten
            if (before != value) {
                return false;
            }
            if (isChange) {
                value = next;
                changedBy = Thread.currentThread().threadId();
                waking = add(next);
            }
        } finally {
            lock.unlock();
        }
        signal(waking);
        return true;
    }

    @Override
    public CompletableFuture<T> when(Predicate<? super T> condition) {
        Objects.requireNonNull(condition, "condition");
        return isClosed() ? ofClosed(condition) : whenHolds(condition, null);
    }

    private CompletableFuture<T> ofClosed(Predicate<? super T> condition) {
        var last = value;
        return condition.test(last) ? CompletableFuture.completedFuture(last)
                : CompletableFuture.failedFuture(closedBefore());
    }

    private CompletableFuture<T> whenHolds(Predicate<? super T> condition,
            @Nullable Duration timeout) {
        return when(change -> condition.test(change) ? Optional.of(change) : Optional.empty(), timeout,
                ObserverOptions.defaults().withCurrent());
    }

    @Override
    public T await(Predicate<? super T> condition) throws InterruptedException {
        Objects.requireNonNull(condition, "condition");
        var now = value;
        return condition.test(now) ? now : await(when(condition));
    }

    @Override
    public T await(Predicate<? super T> condition, Duration timeout)
            throws InterruptedException, TimeoutException {
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(timeout, "timeout");
        var now = value;
        return condition.test(now) ? now
                : awaitInTime(() -> isClosed() ? ofClosed(condition) : whenHolds(condition, timeout),
                        timeout);
    }

    @Override
    public String toString() {
        return "ObservableValue[" + name() + ", observers=" + observers() + (isClosed() ? ", closed" : "")
                + "]";
    }
}
