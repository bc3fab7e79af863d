package io.fibry.cluster.home;

import java.util.HashSet;
import java.util.Set;

/**
 * Removes the entries of the table of hosts that lost nodes have left: a node that leaves does it itself. One node is enough for that, the first one of
 * the view. It removes what it has found twice, so that a node that joins, or is back soon, keeps its entries; one that comes back later adds them
 * again.
 */
final class LostHosts {
    private static final long PAUSE = 10_000_000_000L;

    private final ClusterMember member;
    private Set<String> found = Set.of();
    private boolean hasLooked;
    private long nextLook;

    LostHosts(ClusterMember member) {
        this.member = member;
    }

    /** Lets time pass. */
    void tick(long now) {
        if (hasLooked && now - nextLook < 0) {
            return;
        }
        hasLooked = true;
        nextLook = now + PAUSE;
        var before = found;
        found = member.isServing() && member.isFirst() ? left() : Set.of();
        found.stream().filter(before::contains)
                .forEach(key -> member.propose(HostsOfGroups.TABLE, key, null));
    }

    private Set<String> left() {
        var keys = new HashSet<String>();
        for (var key : member.surroundings().entries(HostsOfGroups.TABLE).keySet()) {
            if (HostsOfGroups.node(key).filter(node -> !member.sees(node)).isPresent()) {
                keys.add(key);
            }
        }
        return keys;
    }
}
