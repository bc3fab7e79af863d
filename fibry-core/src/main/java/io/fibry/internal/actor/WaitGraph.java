package io.fibry.internal.actor;

import io.fibry.AskCycleException;
import io.fibry.internal.memory.Interleave;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds circles of actors that wait for each other, without a lock.
 *
 * <p>An actor first publishes its own edge ({@code companion.waiting}), then follows the edges from its
 * target. Writes and reads of edges are in one total order (volatile), so of the actors that close a circle
 * together the one that publishes last sees all edges. Edges seen one after another need not have existed
 * at one time: the circle is real only if a second look finds the very same edges, none of them over. In a
 * real circle nothing moves, so the second look never misses one.
 */
public final class WaitGraph {
    /** Longer chains are not followed: nobody waits through that many actors on purpose. */
    private static final int MAX_LENGTH = 10_000;

    private WaitGraph() {
    }

    /** Publishes that the current actor, if any, waits; refuses if that closes a circle. */
    public static void enter(Waiting edge) {
        var strand = Current.strand();
        var turn = Current.turnOf(strand);
        if (turn == null) {
            if (strand instanceof StandIn mine && edge instanceof Answer) {
                mine.requireHeld();
            }
            return;
        }
        var standIn = turn.standIn();
        if (standIn == null) {
            publish(turn, edge);
        } else {
            standIn.<@Nullable Void>inside(() -> {
                publish(turn, edge);
                return null;
            });
        }
        if (strand instanceof StandIn mine) {
            mine.beginWait();
        }
    }

    private static void publish(Turn turn, Waiting edge) {
        var companion = turn.cell.extendedState();
        companion.waiting = edge;
        var waits = false;
        try {
            var cycle = circle(turn, edge);
            if (cycle.isPresent()) {
                throw new AskCycleException(cycle.get());
            }
            waits = true;
        } finally {
            if (!waits) {
                companion.waiting = null; // also if there is no stack to spell it out
            }
        }
    }

    /** Describes the circle that the current actor's edge closes, if it does. The edge is published. */
    public static Optional<String> circle(Waiting edge) {
        var turn = Current.turn();
        return turn == null ? Optional.empty() : circle(turn, edge);
    }

    private static Optional<String> circle(Turn turn, Waiting edge) {
        // mutant: actor-below-is-not-held-up
        turn.holdUpAllBelow();
        Interleave.here();
        return cycle(turn.cell, edge);
    }

    /** Takes the edge back. */
    public static void leave() {
        var strand = Current.strand();
        var turn = Current.turnOf(strand);
        if (turn == null) {
            return;
        }
        var standIn = turn.standIn();
        if (standIn == null) {
            turn.cell.extendedState().clearEdge();
        } else {
            standIn.insideIfAny(turn.cell.extendedState()::clearEdge);
        }
        if (strand instanceof StandIn mine) {
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
            Interleave.here();
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

    /** Whether somebody still waits there: who has been answered, or has given up, may not have come to take it back. */
    private static boolean isStillWaiting(Waiting edge) {
        // mutant: wait-that-is-over-stays-an-edge
        return !edge.isOver();
    }

    private static String describe(Cell self, List<Waiting> path) {
        var names = path.stream().map(e -> "'" + e.target().name() + "'").collect(Collectors.joining(" -> "));
        return "actor '" + self.name() + "' would wait for itself: '" + self.name() + "' -> " + names
                + "; use sendMessage instead of waiting, or wait outside the actor";
    }
}
