package io.fibry.topic;

import io.fibry.ActorScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

final class LiveMap<K, V> extends LiveObservable<MapChange<K, V>> implements ObservableMap<K, V> {
    /** Written under the lock. */
    private final ConcurrentHashMap<K, V> entries = new ConcurrentHashMap<>();
    private final Map<K, V> view = Collections.unmodifiableMap(entries);
    // The last change: its key, and the id of the thread that has made it. Guarded by the lock.
    private @Nullable K changedKey;
    private long changedBy;

    LiveMap(ActorScope scope, String name, ObservableOptions options) {
        super(scope, name, options);
    }

    @Override
    List<MapChange<K, V>> present() {
        var all = new ArrayList<MapChange<K, V>>(entries.size());
        entries.forEach((key, value) -> all.add(new MapChange<>(key, Optional.empty(), Optional.of(value))));
        return all;
    }

    @Override
    String state() {
        return "it has " + size() + (size() == 1 ? " entry" : " entries");
    }

    @Override
    Changes<MapChange<K, V>> changes(ObserverOptions observer) {
        return observer.coalesced() ? new Changes.Latest<>(MapChange::key, LiveMap::merge)
                : new Changes.All<>(observer.most());
    }

    private static <K, V> @Nullable MapChange<K, V> merge(MapChange<K, V> older, MapChange<K, V> newer) {
        return older.before().equals(newer.after()) ? null
                : new MapChange<>(older.key(), older.before(), newer.after());
    }

    @Override
    public Optional<V> get(K key) {
        return Optional.ofNullable(entries.get(Objects.requireNonNull(key, "key")));
    }

    @Override
    public Optional<V> put(K key, V value) {
        return change(key, Optional.of(Objects.requireNonNull(value, "value")));
    }

    @Override
    public Optional<V> remove(K key) {
        return change(key, Optional.empty());
    }

    private Optional<V> change(K key, Optional<V> after) {
        Objects.requireNonNull(key, "key");
        Optional<V> before;
        List<Observer<MapChange<K, V>>> waking;
        lock.lock();
        try {
            requireOpen();
            before = Optional.ofNullable(entries.get(key));
            waking = replace(key, before, after);
        } finally {
            lock.unlock();
        }
        signal(waking);
        return before;
    }

    /** Called under the lock. */
    private List<Observer<MapChange<K, V>>> replace(K key, Optional<V> before, Optional<V> after) {
        if (before.equals(after)) {
            return List.of();
        }
        changedKey = key;
        changedBy = Thread.currentThread().threadId();
        if (after.isPresent()) {
            entries.put(key, after.get());
        } else {
            entries.remove(key);
        }
        return add(new MapChange<>(key, before, after));
    }

    @Override
    public boolean compareAndSet(K key, Optional<V> expected, Optional<V> value) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(value, "value");
        List<Observer<MapChange<K, V>>> waking;
        lock.lock();
        try {
            requireOpen();
            var before = Optional.ofNullable(entries.get(key));
            if (!before.equals(expected)) {
                return false;
            }
            waking = replace(key, before, value);
        } finally {
            lock.unlock();
        }
        signal(waking);
        return true;
    }

    @Override
    public Optional<V> update(K key, Function<? super Optional<V>, Optional<V>> function) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(function, "function");
        while (true) {
            var before = entries.get(key);
            var next = Objects.requireNonNull(function.apply(Optional.ofNullable(before)),
                    "the new value in '" + name() + "'");
            if (replaceIfSame(key, before, next)) {
                return next;
            }
            requireChangeOfAnother(key);
        }
    }

    /** Throws if the calling thread has made the last change, of this key: its function would do so again each time. */
    private void requireChangeOfAnother(K key) {
        lock.lock();
        try {
            if (changedBy == Thread.currentThread().threadId() && key.equals(changedKey)) {
                throw new IllegalStateException("the function of an update of a key in '" + name()
                        + "' changes that key itself, so the update would never end; return the new value instead");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Compares by identity: the function has seen this very object. */
    @SuppressWarnings("ReferenceEquality")
    private boolean replaceIfSame(K key, @Nullable V before, Optional<V> next) {
        List<Observer<MapChange<K, V>>> waking;
        lock.lock();
        try {
            requireOpen();
            var now = entries.get(key);
            if (now != before) {
                return false;
            }
            waking = replace(key, Optional.ofNullable(now), next);
        } finally {
            lock.unlock();
        }
        signal(waking);
        return true;
    }

    @Override
    public Map<K, V> snapshot() {
        lock.lock();
        try {
            return Map.copyOf(entries);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int size() {
        return entries.size();
    }

    @Override
    public CompletableFuture<Map<K, V>> when(Predicate<? super Map<K, V>> condition) {
        Objects.requireNonNull(condition, "condition");
        return whenHolds(condition, null);
    }

    private CompletableFuture<Map<K, V>> whenHolds(Predicate<? super Map<K, V>> condition,
            @Nullable Duration timeout) {
        if (condition.test(view)) {
            return CompletableFuture.completedFuture(snapshot());
        }
        if (isClosed()) {
            return CompletableFuture.failedFuture(closedBefore());
        }
        return when(new AwaitedCondition<MapChange<K, V>, Map<K, V>>() {
            @Override
            public Optional<Map<K, V>> test(MapChange<K, V> change) {
                return present();
            }

            @Override
            public Optional<Map<K, V>> present() {
                return condition.test(view) ? Optional.of(snapshot()) : Optional.empty();
            }
        }, timeout, ObserverOptions.defaults().coalescing());
    }

    @Override
    public Map<K, V> await(Predicate<? super Map<K, V>> condition) throws InterruptedException {
        return await(when(condition));
    }

    @Override
    public Map<K, V> await(Predicate<? super Map<K, V>> condition, Duration timeout)
            throws InterruptedException, TimeoutException {
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(timeout, "timeout");
        return awaitInTime(() -> whenHolds(condition, timeout), timeout);
    }

    @Override
    public String toString() {
        return "ObservableMap[" + name() + ", size=" + size() + ", observers=" + observers()
                + (isClosed() ? ", closed" : "") + "]";
    }
}
