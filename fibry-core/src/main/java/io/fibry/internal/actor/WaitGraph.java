package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.memory.Interleave;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
        extended.waiting = edge;
        var waits = false;
        try {
            var cycle = cycle(turn, edge);
            if (cycle.isPresent()) {
                throw new AskCycleException(cycle.get());
            }
            waits = true;
        } finally {
            if (!waits) {
                extended.waiting = null; // also if there is too little stack to describe the cycle
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
        var edge = cell.waiting();
        return edge == null || !isStillWaiting(edge) ? Optional.empty() : cycle(cell, edge);
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
            turn.cell.extendedState().clearEdge();
            standIn.endInside();
        }
        if (runner instanceof StandIn mine) {
            mine.endWait();
        }
    }

    private static Optional<String> cycle(Cell self, Waiting edge) {
        var path = new ArrayList<Waiting>();
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
            var next = target.waiting();
            if (next == null || !isStillWaiting(next)) {
                return Optional.empty();
            }
            step = next;
        }
        return Optional.empty();
    }

    private static boolean stillThere(List<Waiting> path) {
        for (int i = 0; i < path.size(); i++) {
            var edge = path.get(i);
            if (!isStillWaiting(edge)
                    || (i + 1 < path.size() && edge.target().waiting() != path.get(i + 1))) {
                return false;
            }
        }
        return true;
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
