package io.fibry.cluster.simulation;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Links between nodes, which may drop, repeat, delay and reorder frames, or be cut. */
final class SimulatedNetwork {
    private final Simulation simulation;
    private final Set<List<UUID>> cut = new HashSet<>();
    private final Map<String, Long> lastArrivals = new HashMap<>();

    SimulatedNetwork(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Lets nothing come from one node to another; the way back is not cut. */
    void cut(UUID from, UUID to) {
        cut.add(List.of(from, to));
    }

    void heal() {
        cut.clear();
    }

    private boolean carries(UUID from, UUID to) {
        return !cut.contains(List.of(from, to));
    }

    boolean connects(UUID one, UUID other) {
        return carries(one, other) && carries(other, one);
    }

    void carry(UUID from, UUID to, ByteBuffer frame) {
        var options = simulation.options;
        var events = simulation.events;
        if (!carries(from, to) || events.chance(options.drops())) {
            return;
        }
        if (simulation.bug == Bug.TEARS_FRAMES && events.chance(0.01)) {
            arrive(from, to, frame.slice(frame.position(), frame.remaining() - 1));
        }
        arrive(from, to, frame);
        if (events.chance(options.repeats())) {
            arrive(from, to, frame);
        }
    }

    private void arrive(UUID from, UUID to, ByteBuffer frame) {
        var options = simulation.options;
        var events = simulation.events;
        var time = events.now()
                + events.upTo(events.chance(options.late()) ? 20 * options.delay() : options.delay());
        if (!options.reorders()) {
            time = Math.max(time, lastArrivals.getOrDefault(from + ">" + to, 0L));
            lastArrivals.put(from + ">" + to, time);
        }
        events.at(time, () -> {
            var node = simulation.nodes.get(to);
            if (node != null && carries(from, to)) {
                node.enter(() -> node.receive(from, frame.duplicate()));
            }
        });
    }
}
