package io.fibry.cluster.simulation;

import static io.fibry.cluster.simulation.Events.MILLISECOND;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * A model of the rules by which nodes have leases: any node that reaches the database serves while it has one, an observer that has seen
 * the same beat for a whole lease by its own clock removes a node by compare-and-set on that beat, and a node joins again when all that it
 * served has ended. Beats are lost on their way there, or their answers are, or both are late.
 *
 * <p>It does not run {@code Membership}: a mistake in that class is not found here, but by the tests of {@code EngineContract} and the trials
 * with processes. What it runs is all above the engine.
 */
final class SimulatedLeases {
    private static final long LEASE = 600 * MILLISECOND;
    private static final long SERVES = LEASE - LEASE / 6;
    private static final long PAUSE = LEASE / 6;
    /** The clocks agree in their rates within ten percent. */
    private static final double RATES = 0.1;

    private final Simulation simulation;
    private final Events events;
    private final Map<UUID, Keeper> keepers = new LinkedHashMap<>();
    /** Those that do not reach the database. */
    private final Set<UUID> cut = new HashSet<>();
    /** Those whose beats are not taken, since they and others do not hear each other. */
    private final Set<UUID> accused = new HashSet<>();
    private boolean isAway;
    // In the database.
    private final Map<UUID, Long> beats = new HashMap<>();

    /** What a node knows of its own lease and of the beats of others. */
    private static final class Keeper {
        final SimulatedNode node;
        /** How long a second of its clock takes. */
        final double rate;
        boolean serves;
        long end;
        long view;
        boolean isAsking;
        final Map<UUID, Long> seen = new HashMap<>();
        final Map<UUID, Long> since = new HashMap<>();

        Keeper(SimulatedNode node, double rate) {
            this.node = node;
            this.rate = rate;
        }
    }

    SimulatedLeases(Simulation simulation) {
        this.simulation = simulation;
        events = simulation.events;
    }

    void add(SimulatedNode node) {
        var keeper = new Keeper(node, 1 + RATES * (events.upTo(1) / (double) MILLISECOND - 0.5));
        keepers.put(node.id, keeper);
        tick(keeper);
    }

    private void tick(Keeper keeper) {
        if (keeper.node.isDead) {
            keepers.remove(keeper.node.id);
            return;
        }
        keeper.node.enter(() -> step(keeper));
        events.after((long) (PAUSE * keeper.rate), () -> tick(keeper));
    }

    /** Whether the node may begin something: two reads of clocks. */
    boolean hasLease(SimulatedNode node) {
        var keeper = keepers.get(node.id);
        var overrun = simulation.bug == Bug.LEASE_OVERRUNS ? 2_000 * MILLISECOND : 0;
        return keeper != null && keeper.serves && events.now() < keeper.end + overrun;
    }

    /** Another thread of the node notices that its lease is over. */
    void requireLease(SimulatedNode node) {
        if (!hasLease(node)) {
            fallSilent(keepers.get(node.id));
        }
    }

    private boolean reaches(Keeper keeper) {
        return !isAway && !cut.contains(keeper.node.id);
    }

    private void step(Keeper keeper) {
        if (keeper.serves && !hasLease(keeper.node)) {
            fallSilent(keeper);
        }
        if (keeper.isAsking || !reaches(keeper)) {
            return;
        }
        if (!keeper.serves && !keeper.node.mayJoin()) {
            return;
        }
        keeper.isAsking = true;
        var begin = events.now();
        var joins = !keeper.serves;
        var late = events.chance(0.05) ? 400 : 10;
        events.after(events.upTo(late), () -> {
            var taken = reaches(keeper) && !keeper.node.isDead && take(keeper, joins);
            var known = new HashMap<>(beats);
            var isLost = events.chance(0.05) || !reaches(keeper);
            events.after(events.upTo(late), () -> keeper.node.enter(() -> {
                keeper.isAsking = false;
                if (!isLost) {
                    answer(keeper, joins, taken, begin, known);
                }
            }));
        });
    }

    /** What the database does; returns whether the node is a member, whose beats are taken. */
    private boolean take(Keeper keeper, boolean joins) {
        var id = keeper.node.id;
        if (joins) {
            if (accused.contains(id)) {
                remove(id);
                return false;
            }
            beats.merge(id, 1L, Long::sum);
            var view = new LinkedHashSet<>(simulation.members());
            view.add(id);
            simulation.viewIs(view);
            return true;
        }
        if (!simulation.isOfMajority(id) || accused.contains(id)) {
            return false;
        }
        beats.merge(id, 1L, Long::sum);
        return true;
    }

    private void answer(Keeper keeper, boolean joins, boolean taken, long begin, Map<UUID, Long> known) {
        if (!taken || (!joins && !hasLease(keeper.node))) {
            if (keeper.serves) {
                fallSilent(keeper);
            }
            return;
        }
        keeper.end = begin + (long) (SERVES * keeper.rate);
        if (joins) {
            if (events.now() >= keeper.end || keeper.serves) {
                return;
            }
            keeper.serves = true;
            keeper.seen.clear();
            keeper.view = 0;
        }
        look(keeper);
        observe(keeper, known);
    }

    private void look(Keeper keeper) {
        if (keeper.view != simulation.viewNumber() && simulation.isOfMajority(keeper.node.id)) {
            keeper.view = simulation.viewNumber();
            keeper.node.see(keeper.view, new LinkedHashSet<>(simulation.members()), true);
        }
    }

    private void observe(Keeper keeper, Map<UUID, Long> known) {
        for (var other : simulation.members()) {
            var beat = known.getOrDefault(other, 0L);
            var last = keeper.seen.put(other, beat);
            if (last == null || !last.equals(beat)) {
                keeper.since.put(other, events.now());
            } else if (!other.equals(keeper.node.id)
                    && events.now() - keeper.since.get(other) >= (long) (LEASE * keeper.rate)) {
                events.after(events.upTo(10), () -> {
                    if (reaches(keeper) && beats.getOrDefault(other, 0L).equals(beat)) {
                        remove(other);
                    }
                });
            }
        }
    }

    private void remove(UUID node) {
        if (simulation.isOfMajority(node)) {
            var view = new LinkedHashSet<>(simulation.members());
            view.remove(node);
            simulation.viewIs(view);
        }
    }

    /** There is another view: the nodes tell each other, if they can. */
    void tell() {
        for (var keeper : keepers.values()) {
            events.after(events.upTo(30), () -> keeper.node.enter(() -> {
                if (hasLease(keeper.node) && reaches(keeper)) {
                    look(keeper);
                }
            }));
        }
    }

    private void fallSilent(Keeper keeper) {
        if (keeper.serves) {
            keeper.serves = false;
            simulation.silent(keeper.node);
            keeper.node.see(simulation.viewNumber(), new LinkedHashSet<>(Set.of(keeper.node.id)), false);
        }
    }

    // ---- Faults. ----

    /** The process has ended, which others of its machine find out at once, or those of another one after a lease. */
    void killed(UUID node) {
        keepers.remove(node);
        if (events.chance(0.5)) {
            events.after(events.upTo(50), () -> {
                if (keepers.values().stream().anyMatch(each -> each.serves && reaches(each))) {
                    remove(node);
                }
            });
        }
    }

    /** One node does not reach the database for a time, or it and others do not hear each other, or nobody reaches the database. */
    void harm(SimulatedNode node) {
        // At times a node is back before others have missed it, though its lease has ended.
        var end = events.chance(0.3) ? SERVES + events.upTo(100)
                : 100 * MILLISECOND + events.upTo(1_300);
        switch (events.below(3)) {
            case 0 -> {
                cut.add(node.id);
                events.after(end, () -> cut.remove(node.id));
            }
            case 1 -> {
                for (var other : simulation.nodes.keySet()) {
                    simulation.network.cut(node.id, other);
                    simulation.network.cut(other, node.id);
                }
                events.after(LEASE, () -> accused.add(node.id));
                events.after(LEASE + end, () -> {
                    simulation.network.heal();
                    accused.remove(node.id);
                });
            }
            default -> {
                isAway = true;
                events.after(end, () -> isAway = false);
            }
        }
    }

    void heal() {
        isAway = false;
        cut.clear();
        accused.clear();
    }
}
