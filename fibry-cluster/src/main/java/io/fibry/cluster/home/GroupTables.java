package io.fibry.cluster.home;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables of groups, and how to read them from outside. A key is the name of a group, a slash, and a slice or a node. */
public final class GroupTables {
    /** The table of homes. */
    public static final String HOMES = "homes";
    /** The table of hosts. */
    public static final String HOSTS = "hosts";

    private GroupTables() {
    }

    /** Returns the key of an entry. */
    public static String key(String group, Object part) {
        return group + "/" + part;
    }

    static String group(String key) {
        return key.substring(0, key.lastIndexOf('/'));
    }

    static int slice(String key) {
        return Integer.parseInt(key.substring(key.lastIndexOf('/') + 1));
    }

    /**
     * Returns the homes of all groups.
     *
     * @param homes the entries of {@link #HOMES}
     * @param size number of slices of each group but those of singletons, which have one
     * @return for each group, in the order of the names, the home of each slice that has one
     */
    public static Map<String, List<Optional<UUID>>> homes(Map<String, byte[]> homes, int size) {
        var groups = new TreeMap<String, List<Optional<UUID>>>();
        homes.forEach((key, value) -> {
            var entry = GroupEntry.decode(value);
            var slices = groups.computeIfAbsent(group(key), group -> new ArrayList<>(
                    Collections.nCopies(entry != null && entry.whole() ? 1 : size, Optional.empty())));
            if (slice(key) < slices.size()) {
                slices.set(slice(key), home(value));
            }
        });
        return groups;
    }

    /** Returns the home of a slice, given its entry; empty if it has none. */
    public static Optional<UUID> home(byte @Nullable [] entry) {
        return Optional.ofNullable(GroupEntry.decode(entry)).filter(GroupEntry::open).map(GroupEntry::node);
    }

    /**
     * Returns the nodes that host a group.
     *
     * @param hosts the entries of {@link #HOSTS}
     * @return for each of them what the group is for as that node knows it
     */
    public static Map<UUID, Integer> hosts(Map<String, byte[]> hosts, String group) {
        var found = new TreeMap<UUID, Integer>();
        hosts.forEach((key, value) -> {
            var entry = key.startsWith(group + "/") ? GroupEntry.decode(value) : null;
            if (entry != null && key.equals(key(group, entry.node()))) {
                found.put(entry.node(), entry.kind());
            }
        });
        return found;
    }
}
