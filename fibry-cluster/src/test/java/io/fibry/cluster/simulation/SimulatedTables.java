package io.fibry.cluster.simulation;

import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.home.GroupTables;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The tables of the engine: one truth, and a copy on each node that is late. Faults: an outcome that is not known of a change that was made,
 * was not made, or is made later; a refusal of a change that was made; a value in copies that never became effective.
 */
final class SimulatedTables {
    private final Simulation simulation;
    private final TreeMap<String, byte[]> truth = new TreeMap<>();

    SimulatedTables(Simulation simulation) {
        this.simulation = simulation;
    }

    TreeMap<String, byte[]> truth() {
        return truth;
    }

    /** Returns the home of a slice, if it has one. */
    Optional<UUID> home(int slice) {
        return GroupTables.home(truth
                .get(GroupTables.HOMES + ":" + GroupTables.key(SimulatedNode.GROUP, slice)));
    }

    void change(SimulatedNode node, Change change) {
        var events = simulation.events;
        events.after(events.upTo(simulation.options.delay()), () -> {
            // A change that has waited is made only if it is still wanted.
            var isBarred = simulation.bug == Bug.REFUSES_A_SLICE && change.key().endsWith("/0");
            if (isBarred || events.chance(0.5) && !node.member.wants(change)) {
                answer(node, change, Outcome.REFUSED, 0);
            } else {
                decide(node, change);
            }
        });
    }

    private void decide(SimulatedNode node, Change change) {
        var events = simulation.events;
        if (!simulation.isOfMajority(node.id)) {
            answer(node, change, Outcome.UNKNOWN, 300);
            return;
        }
        if (!events.chance(simulation.options.tableFaults())) {
            answer(node, change, apply(change) ? Outcome.DONE : Outcome.REFUSED, 0);
            return;
        }
        switch (events.below(4)) {
            case 0 -> answer(node, change, Outcome.UNKNOWN, 50);
            case 1 -> {
                apply(change);
                answer(node, change, Outcome.UNKNOWN, 50);
            }
            case 2 -> {
                events.after(events.upTo(300), () -> apply(change));
                answer(node, change, Outcome.UNKNOWN, 0);
            }
            default -> {
                apply(change);
                answer(node, change, Outcome.REFUSED, 0);
            }
        }
    }

    private void answer(SimulatedNode node, Change change, Outcome outcome, double late) {
        var events = simulation.events;
        events.after(events.upTo(simulation.options.delay() + late),
                () -> node.enter(() -> node.member.changed(change, outcome, events.now())));
    }

    private static String name(Change change) {
        return change.table() + ":" + change.key();
    }

    private boolean apply(Change change) {
        var name = name(change);
        if (!Arrays.equals(truth.get(name), change.expected())) {
            return false;
        }
        if (change.next() == null) {
            truth.remove(name);
        } else {
            truth.put(name, change.next());
        }
        tellAll(name);
        return true;
    }

    private void tellAll(String name) {
        for (var node : simulation.nodes.values()) {
            if (simulation.isOfMajority(node.id)) {
                tell(node, name);
            }
        }
    }

    private void tell(SimulatedNode node, String name) {
        var events = simulation.events;
        events.after(events.upTo(simulation.options.delay()), () -> node.enter(() -> {
            if (simulation.isOfMajority(node.id)) {
                node.copy(name, truth.get(name));
            }
        }));
    }
}
