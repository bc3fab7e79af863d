package io.fibry.internal.cycles;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Supervision.Inheritance;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.memory.Interleave;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds cycles of waits that lead through actors which others serve ({@link Served}). A message to such an actor waits
 * for any of its servers, so the wait lasts for ever only if all of them wait for ever. {@link WaitGraph} begins this
 * search if a path leads to such an actor and says under which conditions a search finds what it has to.
 *
 * <p>The search first collects what the wait depends on. It then assumes that all of these actors wait for ever, and
 * drops the assumption as far as an actor goes on: one that does not wait, one that waits for an actor that goes on,
 * and one with a server that goes on. What is left waits for ever. What is left even if the actor that begins the
 * search goes on is a cycle of others, one of which is just being refused, or waits for such a cycle: it will go on. So
 * that is left out, and the wait is refused if its target still waits for ever. As in {@link WaitGraph}, the cycle is
 * real only if a second look finds the same edges and the same servers. A server that is not busy takes the message, so
 * it does not wait; if one that waits is busy with something else later, its edge has changed.
 */
final class ServedCycle {
    /** What is not followed further: no program waits through that many actors on purpose. */
    private static final int MOST = 10_000;
    /** How many waits the description names. */
    private static final int SHOWN = 8;

    /** Why an actor does not go on: it waits for another one, or all its servers wait. */
    private sealed interface Reason {
        record Waits(Waiting edge, Cell target) implements Reason {
        }

        record HasServers(List<Cell> servers) implements Reason {
        }
    }

    private final Cell self;
    private final Map<Cell, Reason> reasons = new LinkedHashMap<>();

    private ServedCycle(Cell self, Waiting edge) {
        this.self = self;
        collect(edge);
    }

    /** Describes the cycle that an actor closes by its edge, if it closes one through an actor with servers. */
    static Optional<WaitCycle> find(Cell self, Waiting edge) {
        var target = edge.target();
        if (!edge.dependsOnTarget()) {
            return Optional.empty(); // a sender that waits for room has not looked for it yet
        }
        var search = new ServedCycle(self, edge);
        var stuck = search.stuck(Set.of(self));
        if (!stuck.contains(target)) {
            return Optional.empty();
        }
        // mutant: wait-for-a-cycle-of-others-is-refused
        search.reasons.keySet().removeAll(search.stuck(Set.of()));
        stuck = search.stuck(Set.of(self));
        if (!stuck.contains(target)) {
            return Optional.empty();
        }
        assert Interleave.here();
        if (!edge.dependsOnTarget() || edge.target() != target || !search.isUnchanged(stuck)) {
            return Optional.empty();
        }
        return Optional.of(search.found(edge, stuck));
    }

    private WaitCycle found(Waiting edge, Set<Cell> stuck) {
        var edges = new ArrayList<Waiting>();
        edges.add(edge);
        for (var each : reasons.entrySet()) {
            if (stuck.contains(each.getKey()) && each.getValue() instanceof Reason.Waits waits) {
                edges.add(waits.edge());
            }
        }
        return new WaitCycle(self, edges, describe(edge.target(), stuck));
    }

    /** An actor to look at; if the edge to it is a message that waits for its successor, the wait for that. */
    private record Step(Cell cell, @Nullable Waiting successor) {
        static Step along(Waiting edge) {
            return new Step(edge.target(), WaitGraph.successorOf(edge));
        }
    }

    private void collect(Waiting edge) {
        var left = new ArrayDeque<Step>();
        left.add(Step.along(edge));
        while (!left.isEmpty() && reasons.size() < MOST) {
            var step = left.remove();
            var cell = step.cell();
            if (cell == self || reasons.containsKey(cell)) {
                continue;
            }
            var reason = reasonOf(cell);
            if (reason == null && step.successor() != null) {
                reason = new Reason.Waits(step.successor(), step.successor().target());
            }
            if (reason instanceof Reason.Waits waits) {
                reasons.put(cell, waits);
                left.add(Step.along(waits.edge()));
            } else if (reason instanceof Reason.HasServers has) {
                reasons.put(cell, has);
                for (var server : has.servers()) {
                    left.add(new Step(server, null));
                }
            }
            assert Interleave.here();
        }
    }

    private @Nullable Reason reasonOf(Cell cell) {
        if (cell instanceof Served served) {
            var servers = served.servers().orElse(List.of());
            for (var server : servers) {
                if (server != self && edgeOf(server) == null) {
                    return null; // it works, and takes the message then
                }
            }
            return servers.isEmpty() ? null : new Reason.HasServers(servers);
        }
        var edge = edgeOf(cell);
        return edge == null ? null : new Reason.Waits(edge, edge.target());
    }

    private static @Nullable Waiting edgeOf(Cell cell) {
        var edge = cell.waiting();
        return edge != null && edge.dependsOnTarget() ? edge : null;
    }

    /** Returns the actors that wait for ever if those that are given do. */
    private Set<Cell> stuck(Set<Cell> given) {
        var stuck = new HashSet<>(reasons.keySet());
        stuck.addAll(given);
        var isLess = true;
        while (isLess) {
            isLess = false;
            for (var each = stuck.iterator(); each.hasNext();) {
                var cell = each.next();
                if (cell != self && !isHeldUp(cell, stuck)) {
                    each.remove();
                    isLess = true;
                }
            }
        }
        return stuck;
    }

    private boolean isHeldUp(Cell cell, Set<Cell> stuck) {
        var reason = reasons.get(cell);
        if (reason instanceof Reason.Waits waits) {
            return stuck.contains(waits.target());
        }
        // mutant: one-worker-that-waits-holds-up-a-pool
        return reason instanceof Reason.HasServers has && stuck.containsAll(has.servers());
    }

    private boolean isUnchanged(Set<Cell> stuck) {
        for (var cell : stuck) {
            var reason = reasons.get(cell);
            if (cell != self && !isSame(reason, reasonOf(cell)) && !isSuccessor(cell, reason)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether an actor has ended, and still waits for its successor. */
    private static boolean isSuccessor(Cell cell, @Nullable Reason reason) {
        return reason instanceof Reason.Waits waits && waits.edge() instanceof Inheritance mail
                && mail.dependsOnTarget() && WaitGraph.has(cell, mail);
    }

    @SuppressWarnings("ReferenceEquality") // it is the very same wait
    private static boolean isSame(@Nullable Reason before, @Nullable Reason now) {
        if (before instanceof Reason.Waits one && now instanceof Reason.Waits other) {
            return one.edge() == other.edge() && one.target() == other.target();
        }
        return before instanceof Reason.HasServers some && now instanceof Reason.HasServers same
                && Set.copyOf(some.servers()).equals(Set.copyOf(same.servers()));
    }

    private String describe(Cell target, Set<Cell> stuck) {
        var waits = new ArrayList<String>();
        waits.add(text(self, target));
        var served = new ArrayList<String>();
        for (var each : reasons.entrySet()) {
            if (!stuck.contains(each.getKey())) {
                continue;
            }
            // No switch on the class, which would be linked when it first runs: see StackReserve.
            if (each.getValue() instanceof Reason.Waits edge) {
                waits.add(text(each.getKey(), edge.target()));
            } else {
                served.add("'" + each.getKey().name() + "'");
            }
        }
        return "actor '" + self.name() + "' would wait for itself: " + shown(waits)
                + ", and all workers of " + shown(served)
                + " wait; use sendMessage instead of waiting, give such"
                + " messages a pool of their own, or wait outside the actor";
    }

    private static String text(Cell waiter, Cell target) {
        return "'" + waiter.name() + "' -> '" + target.name() + "'";
    }

    private static String shown(List<String> all) {
        return all.size() <= SHOWN ? String.join(", ", all)
                : String.join(", ", all.subList(0, SHOWN)) + " and " + (all.size() - SHOWN) + " more";
    }
}
