package io.fibry.cluster.database;

import io.fibry.cluster.database.ClusterSession.Pulse;
import io.fibry.cluster.database.ClusterSession.State;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that reach the database and do not hear each other. Each names, in its row, those that it has not heard for a
 * lease. All nodes find the same one that has to go: the one in most of these pairs, and of several the last to join.
 * It goes when the pairs stay the same for a while, since one cut makes several pairs.
 *
 * <p>{@link #hear} is called by the threads that read connections; all else by the one that keeps the lease.
 */
final class Accusations {
    private final UUID self;
    private final long lease;
    private final long pause;
    /** When each node was heard last: written by the readers, and by the keeping thread when it was away itself. */
    private final Map<UUID, Long> heard = new ConcurrentHashMap<>();
    private Set<Set<UUID>> pairs = Set.of();
    private long pairsSince;
    private long lastLook;

    /**
     * Makes an object that has heard nobody.
     *
     * @param pause how long the same pairs must be there, and how long a gap of this process counts as its own silence
     */
    Accusations(UUID self, long lease, long pause, long now) {
        this.self = self;
        this.lease = lease;
        this.pause = pause;
        lastLook = now;
    }

    void hear(UUID node, long now) {
        heard.put(node, now);
    }

    /** Begins anew: nobody is accused for a lease. */
    void forget() {
        heard.clear();
        pairs = Set.of();
    }

    /**
     * Returns the members that this node has not heard for its own lease or theirs, whichever is longer: they send
     * with their beats. Called at each beat. A process that was away blames nobody for its own silence.
     *
     * @param leases of the members, in nanoseconds
     */
    Set<UUID> mine(Map<UUID, Long> leases, long now) {
        if (now - lastLook > pause) {
            heard.clear();
        }
        lastLook = now;
        heard.keySet().retainAll(leases.keySet());
        var silent = new HashSet<UUID>();
        leases.forEach((node, theirs) -> {
            if (!node.equals(self)
                    && now - heard.computeIfAbsent(node, missing -> now) >= Math.max(lease, theirs)) {
                silent.add(node);
            }
        });
        return silent;
    }

    /** Returns who has to go. */
    Optional<UUID> judge(Map<UUID, Pulse> members, long now) {
        var there = new HashSet<Set<UUID>>();
        members.forEach((node, pulse) -> {
            if (isMember(pulse)) {
                pulse.accused().stream().filter(other -> !other.equals(node) && isMember(members.get(other)))
                        .forEach(other -> there.add(Set.of(node, other)));
            }
        });
        if (!there.equals(pairs)) {
            pairs = there;
            pairsSince = now;
            return Optional.empty();
        }
        if (there.isEmpty() || now - pairsSince < pause) {
            return Optional.empty();
        }
        return members.entrySet().stream().filter(each -> pairsOf(each.getKey()) > 0)
                .max(Comparator.<Map.Entry<UUID, Pulse>>comparingLong(each -> pairsOf(each.getKey()))
                        .thenComparingLong(each -> each.getValue().joined()))
                .map(Map.Entry::getKey);
    }

    private static boolean isMember(@Nullable Pulse pulse) {
        return pulse != null && pulse.state() == State.MEMBER;
    }

    private long pairsOf(UUID node) {
        return pairs.stream().filter(pair -> pair.contains(node)).count();
    }
}
