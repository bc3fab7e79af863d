package io.fibry.cluster.home;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Reads the table of hosts. This has no state. */
public final class HostsOfGroups {
    /** The table that is read. Its keys are the name of a group, a slash, and the incarnation of a node that hosts it. */
    public static final String TABLE = "hosts";

    private static final int LENGTH_OF_UUID = 36;

    private HostsOfGroups() {
    }

    static String key(String group, UUID node) {
        return group + "/" + node;
    }

    /** Returns the node that a key names; none if it is not of this kind. */
    static Optional<UUID> node(String key) {
        var slash = key.lastIndexOf('/');
        return key.length() == slash + 1 + LENGTH_OF_UUID
                ? Optional.of(UUID.fromString(key.substring(slash + 1)))
                : Optional.empty();
    }

    /**
     * Returns the nodes that host a group.
     *
     * @param table the entries of {@link #TABLE}
     * @param group name of the group
     * @param kind what the group is for, as {@link ClusterMember#describe} is told it
     * @return for each node that hosts it what the group is for as that node knows it; {@code kind} if it does not tell
     */
    public static Map<UUID, Integer> of(Map<String, byte[]> table, String group, int kind) {
        var hosts = new TreeMap<UUID, Integer>();
        table.forEach((key, value) -> {
            if (key.startsWith(group + "/") && key.length() == group.length() + 1 + LENGTH_OF_UUID) {
                var told = HostEntry.kind(value);
                hosts.put(UUID.fromString(key.substring(group.length() + 1)),
                        told == HostEntry.ANY ? kind : told);
            }
        });
        return hosts;
    }
}
