package io.fibry.cluster.database;

import io.fibry.cluster.database.ClusterSession.Entry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A node's copies of the entries, as one server of the database has them. An older change never replaces a newer one,
 * and one that another server has told is left out: that server may have lost it since. Thread-safe.
 */
final class EntryCopies {
    /** Guards what is written. Entries may be read without it. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, Entry>> tables = new ConcurrentHashMap<>();
    /** Written under the lock. */
    private volatile String server = "";
    /** All entries up to this version are here, so there is nothing more to be learned of them. Used under the lock. */
    private long complete;

    /** Returns the server whose entries these are. */
    String server() {
        return server;
    }

    /** Takes an entry in that a server has told; returns false if it is no newer than what is here. */
    boolean see(Entry entry, String from) {
        lock.lock();
        try {
            if (!from.equals(server) || entry.version() <= complete) {
                return false;
            }
            var table = tables.computeIfAbsent(entry.table(), missing -> new ConcurrentHashMap<>());
            var there = table.get(entry.key());
            if (there != null && there.version() >= entry.version()) {
                return false;
            }
            table.put(entry.key(), entry);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** All entries of the server up to a version are here. Those that were removed are forgotten. */
    void complete(long version) {
        lock.lock();
        try {
            if (version > complete) {
                complete = version;
                tables.values().forEach(table -> table.values()
                        .removeIf(entry -> entry.value() == null && entry.version() <= version));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many entries are here, those among them that were removed and are not forgotten yet. */
    int size() {
        return tables.values().stream().mapToInt(Map::size).sum();
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

    /** From now on, these are the entries of a server. Those that are here are kept, to be compared with its own. */
    void belongTo(String other) {
        lock.lock();
        try {
            server = other;
        } finally {
            lock.unlock();
        }
    }

    void forget() {
        lock.lock();
        try {
            tables.clear();
            complete = 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells whether a database has lost changes that are here: they are not among its entries, nor are newer ones of
     * the same keys, or it has entries that were removed.
     */
    boolean haveMoreThan(List<Entry> entries) {
        lock.lock();
        try {
            var left = new HashMap<List<String>, Entry>();
            entries.forEach(entry -> left.put(List.of(entry.table(), entry.key()), entry));
            for (var table : tables.values()) {
                for (var mine : table.values()) {
                    var other = left.remove(List.of(mine.table(), mine.key()));
                    // A removed entry may be forgotten.
                    if (other == null ? mine.value() != null
                            : other.version() < mine.version()
                                    || (other.version() == mine.version()
                                            && !Arrays.equals(other.value(), mine.value()))) {
                        return true;
                    }
                }
            }
            return left.values().stream()
                    .anyMatch(other -> other.value() != null && other.version() <= complete);
        } finally {
            lock.unlock();
        }
    }
}
