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

    LiveValue(ActorScope scope, String name, ObservableOptions options, T initial) {
        super(scope, name, options);
        this.value = Objects.requireNonNull(initial, "initial");
    }

    @Override
    List<T> present() {
        return List.of(value);
    }

    @Override
    Changes<T> changes(ObserverOptions observer) {
        return observer.coalesced() ? new Changes.Latest<>(any -> "value", (older, newer) -> newer)
                : new Changes.All<>(observer.most());
    }

    @Override
    public T get() {
        return value;
    }

    @Override
    public T set(T next) {
        Objects.requireNonNull(next, "value");
        T before;
        List<Observer<T>> waking;
        lock.lock();
        try {
            requireOpen();
            before = value;
            waking = replace(next);
        } finally {
            lock.unlock();
        }
        signal(waking);
        return before;
    }

    /** Sets the value unless this is closed. */
    void setIfOpen(T next) {
        List<Observer<T>> waking;
        lock.lock();
        try {
            if (isClosed()) {
                return;
            }
            waking = replace(next);
        } finally {
            lock.unlock();
        }
        signal(waking);
    }

    /** Called under the lock. */
    private List<Observer<T>> replace(T next) {
        if (next.equals(value)) {
            return List.of();
        }
        value = next;
        return add(next);
    }

    @Override
    public boolean compareAndSet(T expected, T next) {
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(next, "value");
        List<Observer<T>> waking;
        lock.lock();
        try {
            requireOpen();
            if (!expected.equals(value)) {
                return false;
            }
            waking = replace(next);
        } finally {
            lock.unlock();
        }
        signal(waking);
        return true;
    }

    @Override
    public T update(UnaryOperator<T> function) {
        while (true) {
            var before = value;
            var next = Objects.requireNonNull(function.apply(before), "the new value");
            if (replaceIfSame(before, next)) {
                return next;
            }
        }
    }

    /** Compares by identity: the function has seen this very object. */
    @SuppressWarnings("ReferenceEquality")
    private boolean replaceIfSame(T before, T next) {
        List<Observer<T>> waking;
        lock.lock();
        try {
            requireOpen();
            if (before != value) {
                return false;
            }
            waking = replace(next);
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
        var now = value;
        return condition.test(now) ? now : await(when(condition));
    }

    @Override
    public T await(Predicate<? super T> condition, Duration timeout)
            throws InterruptedException, TimeoutException {
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
