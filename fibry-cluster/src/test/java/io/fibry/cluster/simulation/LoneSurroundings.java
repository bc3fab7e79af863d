package io.fibry.cluster.simulation;

import io.fibry.cluster.home.NodeLoad;
import io.fibry.cluster.home.Surroundings;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Surroundings in which no node has told of workers before, and which draw no numbers. */
public interface LoneSurroundings extends Surroundings {
    @Override
    default NodeLoad load(String group) {
        return NodeLoad.NONE;
    }

    @Override
    default Map<UUID, NodeLoad> loads(String group) {
        return Map.of();
    }

    @Override
    default void hosts(String group, Set<UUID> hosts) {
        // Topics alone need them.
    }

    @Override
    default int random(int bound) {
        return 0;
    }
}
