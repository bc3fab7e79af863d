package io.fibry.cluster.home;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Reads the table of homes for those who look from outside. Unlike a {@link ClusterMember}, this has no state and needs no order. */
public final class HomesOfGroups {
    /** The table that is read. */
    public static final String TABLE = HomeEntry.TABLE;

    private HomesOfGroups() {
    }

    /**
     * Returns the homes of all groups in a table.
     *
     * @param table the entries of {@link #TABLE}
     * @param size number of slices of each group but those of singletons, which have one
     * @return for each group, in the order of the names, the home of each slice that has one
     */
    public static Map<String, List<Optional<UUID>>> of(Map<String, byte[]> table, int size) {
        var groups = new TreeMap<String, List<Optional<UUID>>>();
        table.forEach((key, value) -> {
            var slash = key.lastIndexOf('/');
            var slice = Integer.parseInt(key.substring(slash + 1));
            var entry = HomeEntry.decode(value);
            var homes = groups.computeIfAbsent(key.substring(0, slash),
                    group -> withoutHomes(entry != null && entry.whole() ? 1 : size));
            if (slice < homes.size()) {
                homes.set(slice, homeIn(value));
            }
        });
        return groups;
    }

    /**
     * Returns the home of a slice.
     *
     * @param table the entries of {@link #TABLE}
     * @param group name of the group
     * @param slice the slice
     * @return its home; empty if it has none
     */
    public static Optional<UUID> of(Map<String, byte[]> table, String group, int slice) {
        return Optional.ofNullable(table.get(group + "/" + slice)).flatMap(HomesOfGroups::homeIn);
    }

    private static List<Optional<UUID>> withoutHomes(int size) {
        var homes = new ArrayList<Optional<UUID>>(size);
        for (int slice = 0; slice < size; slice++) {
            homes.add(Optional.empty());
        }
        return homes;
    }

    private static Optional<UUID> homeIn(byte[] value) {
        return Optional.ofNullable(HomeEntry.decode(value)).filter(HomeEntry::open).map(HomeEntry::home);
    }
}
