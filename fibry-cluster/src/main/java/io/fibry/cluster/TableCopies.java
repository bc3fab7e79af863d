package io.fibry.cluster;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.NotServedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The tables as the actor of the member sees them. An engine refuses reads while this node does not see the majority,
 * and the member reads at such times as well. What an engine tells of a change is no more than that: the value is
 * read again, so an older one never replaces a newer one.
 *
 * <p>The actor of the member alone writes. All threads read, and what they see may be a moment old.
 */
final class TableCopies {
    private final ClusterEngine engine;
    private final List<String> names;
    private final Map<String, Map<String, byte[]>> tables = new ConcurrentHashMap<>();

    TableCopies(ClusterEngine engine, List<String> names) {
        this.engine = engine;
        this.names = names;
        names.forEach(name -> tables.put(name, new ConcurrentHashMap<>()));
    }

    byte @Nullable [] entry(String table, String key) {
        return entries(table).get(key);
    }

    Map<String, byte[]> entries(String table) {
        return tables.getOrDefault(table, Map.of());
    }

    /** Reads all again; what cannot be read stays as it is. */
    void readAll() {
        try {
            for (var name : names) {
                var fresh = engine.all(name);
                tables.put(name, new ConcurrentHashMap<>(fresh));
            }
        } catch (NotServedException minority) {
            // The engine tells another view soon.
        }
    }

    /** Reads an entry again; one that cannot be read stays as it is. */
    void read(String table, String key) {
        if (names.contains(table)) {
            try {
                var fresh = engine.get(table, key);
                if (fresh == null) {
                    entries(table).remove(key);
                } else {
                    entries(table).put(key, fresh);
                }
            } catch (NotServedException minority) {
                // The engine tells another view soon, and then all is read.
            }
        }
    }
}
