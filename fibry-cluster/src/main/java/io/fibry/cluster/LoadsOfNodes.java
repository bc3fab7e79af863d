package io.fibry.cluster;

import io.fibry.cluster.home.NodeLoad;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What nodes tell each other about their workers, subscribers and slices. A node tells it when it has changed or when
 * messages have come, every few milliseconds at most, and once more when another node joins, or hosts a group.
 *
 * <p>The actor of the member writes; all threads read, and what they see may be a moment old.
 */
final class LoadsOfNodes {
    private final UUID self;
    /** The nodes of the view that have each group. */
    private final Map<String, Set<UUID>> hosts = new ConcurrentHashMap<>();
    /** What the nodes of the view have told, by groups. */
    private final Map<String, Map<UUID, NodeLoad>> loads = new ConcurrentHashMap<>();
    /** What this node has told last. Used by the actor of the member alone. */
    private final Map<String, NodeLoad> told = new HashMap<>();
    private Set<UUID> nodes = Set.of();

    /** Tells a node what this one has to do for a group. */
    interface Way {
        void note(UUID node, String group, NodeLoad load);
    }

    LoadsOfNodes(UUID self) {
        this.self = self;
    }

    /** These nodes have a group; this one may be among them. The set does not change. */
    void hosts(String group, Set<UUID> those) {
        hosts.put(group, those);
        told.remove(group);
    }

    /** There is another view. */
    void see(Set<UUID> view) {
        nodes = view;
        told.clear();
        loads.values().forEach(load -> load.keySet().retainAll(view));
    }

    /** Tells the other nodes what has changed. */
    void tell(Collection<Hosted> groups, Way way) {
        for (var group : groups) {
            var load = group.load();
            var tellsAgain = group.tellsAgain();
            if (!load.equals(told.put(group.name(), load)) || tellsAgain) {
                // Any node sends to workers and subscribers; slices move between hosts.
                var those = group instanceof HostedHere ? nodes : hosts(group.name());
                those.stream().filter(node -> !node.equals(self))
                        .forEach(node -> way.note(node, group.name(), load));
            }
        }
    }

    /** A node has told something. What is of no interest yet is kept as well: the group may come later. */
    void told(UUID from, String group, NodeLoad load) {
        loads.computeIfAbsent(group, missing -> new ConcurrentHashMap<>()).put(from, load);
    }

    /** Returns the nodes that have a group. */
    Set<UUID> hosts(String group) {
        return hosts.getOrDefault(group, Set.of());
    }

    /** Returns what other nodes have told about a group. */
    Map<UUID, NodeLoad> loads(String group) {
        return loads.getOrDefault(group, Map.of());
    }
}
