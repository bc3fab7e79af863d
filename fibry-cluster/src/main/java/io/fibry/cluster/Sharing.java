package io.fibry.cluster;

import io.fibry.internal.keyed.SharedKeys;
import io.fibry.keyed.KeyedActors;

/** What makes a group one that can be shared, and the errors when it cannot. */
final class Sharing {
    private Sharing() {
    }

    /** Checks actors and types, before anything is done with them. */
    static SharedKeys check(ClusterGroup<?, ?, ?> group, KeyedActors<?, ?, ?> actors) {
        return SharedKeys.of(actors).orElseThrow(() -> new ClusterException("The actors for the group '"
                + group.name() + "' are a " + actors.getClass().getName()
                + "; share what Stereotypes.keyed or keyedWithReturn has made"));
    }

    static ClusterException taken(ClusterNode self, ClusterGroup<?, ?, ?> group) {
        return new ClusterException("The node '" + self.name() + "' shares a group '" + group.name()
                + "' already; give this one another name");
    }

    static ClusterException left(ClusterNode self, ClusterGroup<?, ?, ?> group) {
        return new ClusterException("The node '" + self.name() + "' has left its cluster, and cannot share '"
                + group.name() + "'; open another cluster");
    }
}
