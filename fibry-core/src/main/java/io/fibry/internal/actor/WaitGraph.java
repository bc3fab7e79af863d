package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.memory.Interleave;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
/**
 * Finds cycles of actors that wait for each other, without a lock.
 *
 * <p>An actor first publishes its own edge ({@code extendedState.waiting}), then follows the edges from its
 * target. Writes and reads of edges are in one total order (volatile), so among the actors that close a cycle
 * together, the one that publishes last sees all edges. Edges that were read one after another need not have
 * existed at the same time. The cycle is real only if a second look finds the very same edges, and none of
 * them over. In a real cycle nothing moves, so the second look never misses one.
 */
public final class WaitGraph {
    /** Longer chains are not followed: no program waits through that many actors on purpose. */
    private static final int MAX_LENGTH = 10_000;

    private WaitGraph() {
    }

    /** Publishes that the current actor, if any, waits; throws if that closes a cycle. */
    public static void enter(Waiting edge) {
        var runner = Current.runner();
        var turn = Current.turnOf(runner);
        if (turn == null) {
            if (runner instanceof StandIn mine && edge instanceof Answer) {
                mine.requireHeld();
            }
            return;
        }
        var standIn = turn.standIn();
        if (standIn == null) {
            publish(turn, edge);
        } else {
            standIn.beginInside();
            try {
                publish(turn, edge);
            } finally {
                standIn.endInside();
            }
        }
        if (runner instanceof StandIn mine) {
            mine.beginWait();
        }
    }

    private static void publish(Turn turn, Waiting edge) {
        var extended = turn.cell.extendedState();
        var standIn = turn.standIn();
        if (standIn == null) {
            extended.waiting = edge;
        } else {
            standIn.waits(turn.cell, edge);
        }
        var waits = false;
        try {
            var cycle = cycle(turn, edge);
            if (cycle.isPresent()) {
                throw new AskCycleException(cycle.get());
            }
            waits = true;
        } finally {
            if (!waits) { // also if there is too little stack to describe the cycle
                if (standIn == null) {
                    extended.waiting = null;
                } else {
                    standIn.waits(turn.cell, null);
                }
            }
        }
    }

    /** Describes the cycle that the current actor's edge closes, if it does. The edge is published before. */
    public static Optional<String> cycle(Waiting edge) {
        var turn = Current.turn();
        return turn == null ? Optional.empty() : cycle(turn, edge);
    }

    private static Optional<String> cycle(Turn turn, Waiting edge) {
        // mutant: actor-below-is-not-held-up
        turn.holdUpAllBelow();
        assert Interleave.here();
        return cycle(turn.cell, edge);
    }

    /**
     * Describes the cycle that an actor is in, if it is in one. Called after an edge of others has got this actor as its
     * target.
     */
    static Optional<String> cycleThrough(Cell cell) {
        for (var edge : Readers.edgesOf(cell)) {
            var found = isStillWaiting(edge) ? cycle(cell, edge) : Optional.<String>empty();
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Removes the edge of the current actor. */
    public static void leave() {
        var runner = Current.runner();
        var turn = Current.turnOf(runner);
        if (turn == null) {
            return;
        }
        var standIn = turn.standIn();
        if (standIn == null) {
            turn.cell.extendedState().clearEdge();
        } else if (standIn.beginInsideIfHeld()) {
            standIn.waits(turn.cell, null);
            standIn.endInside();
        }
        if (runner instanceof StandIn mine) {
            mine.endWait();
        }
    }

    private static Optional<String> cycle(Cell self, Waiting edge) {
        return cycle(self, edge, new ArrayList<>(), null);
    }

    /**
     * Follows the edges from this one. From an actor with readers there may be several; each of them is followed once.
     *
     * @param followed the actors of which several edges were followed; null if there is none
     */
    private static Optional<String> cycle(Cell self, Waiting edge, List<Waiting> path,
            @Nullable Set<Cell> followed) {
        var step = edge;
        while (path.size() < MAX_LENGTH) {
            path.add(step);
            var target = step.target();
            // mutant: cycles-are-not-looked-for
            if (target == self) {
                // mutant: cycle-is-not-looked-at-again
                return stillThere(path) ? Optional.of(describe(self, path)) : Optional.empty();
            }
            assert Interleave.here();
            // mutant: edges-of-readers-are-not-followed
            if (Readers.areRunning(target)) {
                return cycleFrom(self, target, path, followed == null ? new HashSet<>() : followed);
            }
            var next = target.waiting();
            if (next == null || !isStillWaiting(next)) {
                return Optional.empty();
            }
            step = next;
        }
        return Optional.empty();
    }

    private static Optional<String> cycleFrom(Cell self, Cell at, List<Waiting> path, Set<Cell> followed) {
        if (followed.add(at)) {
            for (var edge : Readers.edgesOf(at)) {
                var found = isStillWaiting(edge) ? cycle(self, edge, new ArrayList<>(path), followed)
                        : Optional.<String>empty();
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static boolean stillThere(List<Waiting> path) {
        for (int i = 0; i < path.size(); i++) {
            var edge = path.get(i);
            if (!isStillWaiting(edge) || (i + 1 < path.size() && !has(edge.target(), path.get(i + 1)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean has(Cell cell, Waiting edge) {
        if (cell.waiting() == edge) {
            return true;
        }
        for (var each : Readers.edgesOf(cell)) {
            if (each == edge) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the edge still counts. A waiter that was answered, or has given up, may not yet have
     * removed its edge.
     */
    private static boolean isStillWaiting(Waiting edge) {
        // mutant: wait-that-is-over-stays-an-edge
        return edge.dependsOnTarget();
    }

    private static String describe(Cell self, List<Waiting> path) {
        var names = new StringBuilder();
        for (var edge : path) {
            names.append(" -> '").append(edge.target().name()).append('\'');
        }
        return "actor '" + self.name() + "' would wait for itself: '" + self.name() + "'" + names
                + "; use sendMessage instead of waiting, or wait outside the actor";
    }
}
