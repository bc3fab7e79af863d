package io.fibry.cluster;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What each name is used for on a node: for one thing, as long as the node is in its cluster. All threads may use it. */
final class NamesOfGroups {
    private final Map<String, Integer> kinds = new ConcurrentHashMap<>();

    /** Uses the name of a group, or throws an exception if it was used for something else before. */
    void use(ClusterNode self, ClusterGroup<?, ?, ?> group) {
        var kind = Sharing.number(group);
        var before = kinds.putIfAbsent(group.name(), kind);
        if (before != null && before != kind) {
            throw Sharing.usedOtherwise(self, group, before);
        }
    }
}
