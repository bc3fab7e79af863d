package io.fibry.cluster.database;

import io.fibry.cluster.database.ClusterSession.Pulse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** The beats that this node has seen. A node whose beat has not changed for its whole lease, by the clock here, is lost. */
final class Observation {
    private final UUID self;
    private final Map<UUID, Seen> seen = new HashMap<>();

    /** A beat, and when it was first there. */
    record Seen(UUID node, long beat, long since) {
    }

    Observation(UUID self) {
        this.self = self;
    }

    /**
     * Takes in what a request has shown.
     *
     * @param now a time after its answer
     * @return the nodes that are lost
     */
    List<Seen> see(Map<UUID, Pulse> members, long now) {
        seen.keySet().retainAll(members.keySet());
        var lost = new ArrayList<Seen>();
        members.forEach((node, pulse) -> {
            var last = seen.get(node);
            if (last == null || last.beat != pulse.beat()) {
                seen.put(node, new Seen(node, pulse.beat(), now));
            } else if (!node.equals(self) && now - last.since >= pulse.lease()) {
                lost.add(last);
            }
        });
        return lost;
    }

    /** Returns when the newest beat of each member was first there. */
    Map<UUID, Long> newest() {
        return seen.values().stream().collect(Collectors.toUnmodifiableMap(Seen::node, Seen::since));
    }

    /** Forgets all beats, since they may be those of a server that has lost some. */
    void forget() {
        seen.clear();
    }
}
