package io.fibry.cluster;

import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.View;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The nodes of the newest view. The actor of the member writes; all threads read.
 *
 * <p>{@code known} also keeps nodes that are gone, up to a number, since messages and moves still name them.
 */
final class NodesInView {
    private static final int MOST_KNOWN = 1_000;

    private final Map<UUID, ClusterNode> known = new ConcurrentHashMap<>();
    /** Written by the member's actor; the set is immutable. A sender that misses a change is told by the member. */
    private volatile Set<ClusterNode> seen = Set.of();
    /** Written by the member's actor. */
    private volatile boolean majority;

    private static ClusterNode node(NodeInfo info) {
        var description = NodeDescription.of(info.description());
        return new ClusterNode(info.incarnation(), description.name(), description.hosts());
    }

    Set<ClusterNode> seen() {
        return seen;
    }

    boolean isMajority() {
        return majority;
    }

    ClusterNode node(UUID incarnation) {
        return known.getOrDefault(incarnation, new ClusterNode(incarnation, incarnation.toString(), true));
    }

    /** Takes a view in, and tells what has changed. */
    void see(View view, Set<UUID> left, Consumer<ClusterEvent> watcher) {
        var before = seen;
        var now = new LinkedHashSet<ClusterNode>();
        for (var info : view.members()) {
            var node = node(info);
            known.put(node.incarnation(), node);
            now.add(node);
        }
        if (known.size() > MOST_KNOWN) {
            known.values().retainAll(now);
        }
        seen = Set.copyOf(now);
        for (var node : now) {
            if (!before.contains(node)) {
                watcher.accept(new ClusterEvent.Joined(node));
            }
        }
        for (var node : before) {
            if (!now.contains(node)) {
                watcher.accept(left.contains(node.incarnation()) ? new ClusterEvent.Left(node)
                        : new ClusterEvent.Lost(node));
            }
        }
        var hadMajority = majority;
        majority = view.majority();
        if (hadMajority != majority) {
            watcher.accept(majority ? new ClusterEvent.Restored(seen) : new ClusterEvent.CutOff());
        }
    }
}
