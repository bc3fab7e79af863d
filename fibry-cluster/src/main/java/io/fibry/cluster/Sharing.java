package io.fibry.cluster;

import io.fibry.cluster.ClusterGroup.Kind;
import io.fibry.internal.keyed.SharedKeys;
import io.fibry.internal.keyed.SliceWork;
import io.fibry.keyed.KeyedActors;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;

/** What makes a group one that can be shared, and the errors when it cannot. */
final class Sharing {
    private static final int KEYED = 0;

    private Sharing() {
    }

    /** Checks actors, before anything is done with them. */
    static SharedKeys check(ClusterGroup<?, ?, ?> group, KeyedActors<?, ?, ?> actors) {
        group.kind().ifPresent(kind -> {
            throw new ClusterException("The group '" + group.name() + "' is that of " + kind.noun
                    + "; give it to " + kind.method + ", or describe the keys with ClusterGroup.of");
        });
        return movable(group, actors);
    }

    /** Checks what a group is for. */
    static void check(ClusterGroup<?, ?, ?> group, Kind wanted, String factory) {
        var kind = group.kind();
        if (kind.isEmpty()) {
            throw new ClusterException("The group '" + group.name()
                    + "' has keys, so it is not that of " + wanted.noun
                    + "; share it, or describe it with ClusterGroup." + factory);
        }
        if (kind.get() != wanted) {
            throw new ClusterException("The group '" + group.name() + "' is that of " + kind.get().noun
                    + "; give it to " + kind.get().method + ", or describe it with ClusterGroup."
                    + factory);
        }
    }

    /** Checks a group that is to be reached. */
    static void checkReach(ClusterGroup<?, ?, ?> group) {
        if (group.kind().equals(Optional.of(Kind.TOPIC))) {
            throw new ClusterException("The group '" + group.name()
                    + "' is that of a topic; open it with Cluster.topic, also to publish alone");
        }
    }

    /** Finds what a cluster may do with actors. */
    static SharedKeys movable(ClusterGroup<?, ?, ?> group, KeyedActors<?, ?, ?> actors) {
        var keys = SharedKeys.of(actors).orElseThrow(() -> new ClusterException("The actors for the group '"
                + group.name() + "' are a " + actors.getClass().getName()
                + "; share what ActorBuilder.keyed has made"));
        if (!keys.isMovable()) {
            throw new ClusterException("The actors '" + actors.name() + "' for the group '" + group.name()
                    + "' must stay on this node: they are durable and were made without Durable.shared(), or with"
                    + " immovable(); send to them directly, or share actors that may begin again on another node");
        }
        if (keys.isStopping()) {
            throw new ClusterException("The actors '" + actors.name() + "' for the group '" + group.name()
                    + "' were stopped; share new ones");
        }
        return keys;
    }

    /** Lets a group have actors, or throws an exception if they are those of a group already. */
    static void take(SharedKeys keys, ClusterGroup<?, ?, ?> group, KeyedActors<?, ?, ?> actors) {
        keys.take(group.name()).ifPresent(other -> {
            throw new ClusterException("The actors '" + actors.name() + "' are shared as the group '" + other
                    + "' already, so they cannot be those of the group '" + group.name()
                    + "' as well; make other ones for it");
        });
    }

    /** Checks that other nodes can have what goes with the keys. */
    static void checkWork(ClusterGroup<?, ?, ?> group, SharedKeys keys) {
        keys.work().flatMap(SliceWork::refusal).ifPresent(reason -> {
            throw new ClusterException(
                    "The group '" + group.name() + "' cannot be shared with other nodes: " + reason);
        });
    }

    /** Returns the number that tells other nodes what a group is for. */
    static int number(ClusterGroup<?, ?, ?> group) {
        return group.kind().map(kind -> kind.number).orElse(KEYED);
    }

    private static String noun(int number) {
        return number == KEYED ? "keyed actors"
                : Arrays.stream(Kind.values()).filter(kind -> kind.number == number).findFirst()
                        .map(kind -> kind.noun).orElse("what only a newer version knows");
    }

    static ClusterException usedOtherwise(ClusterNode self, ClusterGroup<?, ?, ?> group, int before) {
        return new ClusterException("The group '" + group.name() + "' is that of " + noun(number(group))
                + ", and the node '" + self.name() + "' has used the name for " + noun(before)
                + " before; give this one another name");
    }

    static ClusterException unlike(ClusterGroup<?, ?, ?> group, ClusterNode node, int there) {
        return new ClusterException("The group '" + group.name() + "' is that of " + noun(number(group))
                + " here, and the node '" + node.name() + "' shares " + noun(there)
                + " of this name; give one of them another name");
    }

    /** Returns what to tell if two nodes have begun to share different things of one name at the same time. */
    static String unlike(String group, ClusterNode node, int there) {
        return "The node '" + node.name() + "' shares " + noun(there) + " called '" + group
                + "', and this node has something else of that name, so neither sends to the other;"
                + " give one of them another name";
    }

    static ClusterException taken(ClusterNode self, ClusterGroup<?, ?, ?> group) {
        return new ClusterException("The node '" + self.name() + "' shares a group '" + group.name()
                + "' already; give this one another name");
    }

    static ClusterException ending(ClusterNode self, ClusterGroup<?, ?, ?> group) {
        return new ClusterException("The group '" + group.name() + "' has not ended on the node '"
                + self.name()
                + "' yet: messages of it are still handled here, since its stop ran out of time. Share it again when they are");
    }

    /**
     * Begins to watch.
     *
     * @param hasLeft whether the node has left already; it may also leave meanwhile, which ends the scope of the watchers
     */
    static <T> T watching(ClusterNode self, boolean hasLeft, Supplier<T> begin) {
        try {
            if (!hasLeft) {
                return begin.get();
            }
        } catch (IllegalStateException closed) {
            throw new ClusterException(hasLeft(self), closed);
        }
        throw new ClusterException(hasLeft(self));
    }

    private static String hasLeft(ClusterNode self) {
        return "The node '" + self.name()
                + "' has left its cluster, so it has no events for watchers; open another cluster";
    }

    static ClusterException left(ClusterNode self, ClusterGroup<?, ?, ?> group) {
        return new ClusterException("The node '" + self.name()
                + "' has left its cluster, so it can neither share nor reach the group '"
                + group.name() + "'; open another cluster");
    }
}
