package io.fibry.cluster.infinispan;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What this node knows of the entries, beside the cache. When parts of the cluster meet, Infinispan keeps the entries of one of them and throws the others away; this
 * is what they are put back from. Reads come from here, so they do not go back to an older value meanwhile.
 *
 * <p>Thread-safe.
 */
final class Copies {
    private final Map<String, StoredValue> values = new ConcurrentHashMap<>();
    /** Raised before the value is there for others to see. */
    private final AtomicLong highest = new AtomicLong();
    /** Written by the reconciliation, before any change begins in its view. */
    private volatile long complete;

    Optional<StoredValue> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** Returns the names of all entries, also of those that have left a mark. */
    Set<String> names() {
        return new HashSet<>(values.keySet());
    }

    /** The cache has this value now, by the order that all members agree on. Empty if it has none. */
    void follow(String name, Optional<StoredValue> value) {
        adopt(name, before -> value);
    }

    /** Takes over what the cache has. It is read while no other change of the entry is followed; it may be found not to count, and what is remembered stays. */
    void adopt(String name, UnaryOperator<Optional<StoredValue>> cached) {
        values.compute(name,
                (same, before) -> cached.apply(Optional.ofNullable(before)).map(this::counted).orElse(null));
    }

    private StoredValue counted(StoredValue value) {
        highest.accumulateAndGet(value.number(), Math::max);
        return value;
    }

    /**
     * Returns a value that follows on another one. It is newer than that one, also if a later round has begun meanwhile. What is made anew gets a
     * higher number than all that this node has seen: the entry may have been there before, and another node may remember its mark.
     */
    StoredValue after(Optional<StoredValue> before, long epoch, byte @Nullable [] value) {
        return StoredValue.of(before.map(StoredValue::number).orElseGet(highest::get) + 1,
                Math.max(epoch, before.map(StoredValue::epoch).orElse(epoch)), value);
    }

    /**
     * The cache has this value, but it is not known whether all members agree on it. It is kept if it is newer. If this node knows nothing of an entry that is older than what it
     * knows to be complete, that entry has been removed.
     */
    void meet(String name, StoredValue value) {
        counted(value);
        values.compute(name, (same, before) -> {
            if (before == null) {
                return value.epoch() < complete ? null : value;
            }
            return value.isNewerThan(before) ? value : before;
        });
    }

    /** All entries are here that were there when the view of this epoch became whole. */
    void completed(long epoch) {
        complete = epoch;
    }
}
