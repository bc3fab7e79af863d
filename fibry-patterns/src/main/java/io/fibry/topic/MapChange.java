package io.fibry.topic;

import java.util.Objects;
import java.util.Optional;

/**
 * A change of one entry of an {@link ObservableMap}.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 * @param key the key
 * @param before the value before, or, if changes are coalesced, the one that the observer has seen last; empty if there was
 *     none, and for the entries with which an observer begins
 * @param after the value after; empty if the entry was removed
 */
public record MapChange<K, V>(K key, Optional<V> before, Optional<V> after) {
    /**
     * Makes a change.
     *
     * @param key the key
     * @param before the value before
     * @param after the value after
     */
    public MapChange {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(before, "before");
        Objects.requireNonNull(after, "after");
    }

    @Override
    public String toString() {
        return "MapChange[key=" + key + before.map(value -> ", before=" + value).orElse("")
                + after.map(value -> ", after=" + value).orElse("") + "]";
    }
}
