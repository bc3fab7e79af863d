package io.fibry.cluster.database;

import io.fibry.cluster.database.ClusterSession.Entry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A node's copies of the entries. An older change never replaces a newer one. Thread-safe. */
final class EntryCopies {
    private final Map<String, Map<String, Entry>> tables = new ConcurrentHashMap<>();

    /** Takes an entry in; returns false if it is no newer than what is there. */
    boolean see(Entry entry) {
        var isNewer = new boolean[1];
        tables.computeIfAbsent(entry.table(), missing -> new ConcurrentHashMap<>()).compute(entry.key(),
                (key, there) -> {
                    isNewer[0] = there == null || there.version() < entry.version();
                    return isNewer[0] ? entry : there;
                });
        return isNewer[0];
    }

    byte @Nullable [] get(String table, String key) {
        var entry = tables.getOrDefault(table, Map.of()).get(key);
        return entry == null || entry.value() == null ? null : entry.value().clone();
    }

    Map<String, byte[]> all(String table) {
        var all = new HashMap<String, byte[]>();
        tables.getOrDefault(table, Map.of()).forEach((key, entry) -> {
            if (entry.value() != null) {
                all.put(key, entry.value().clone());
            }
        });
        return all;
    }

    void forget() {
        tables.clear();
    }

    /** Tells whether a database has lost changes that are here: they are not among its entries, nor are newer ones of the same keys. */
    boolean haveMoreThan(List<Entry> entries) {
        var there = new HashMap<List<String>, Entry>();
        entries.forEach(entry -> there.put(List.of(entry.table(), entry.key()), entry));
        return tables.values().stream().flatMap(table -> table.values().stream()).anyMatch(mine -> {
            var other = there.get(List.of(mine.table(), mine.key()));
            // A removed entry may be forgotten.
            return other == null ? mine.value() != null
                    : other.version() < mine.version()
                            || (other.version() == mine.version()
                                    && !Arrays.equals(other.value(), mine.value()));
        });
    }
}
