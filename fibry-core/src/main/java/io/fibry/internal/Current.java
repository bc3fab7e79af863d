package io.fibry.internal;

import io.fibry.event.Stopped.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Which actor's turn runs on this thread. Turns nest where a strategy runs them on the sender's thread; the
 * innermost is the current one.
 */
final class Current {
    private static final ThreadLocal<Turn> TURN = new ThreadLocal<>();

    private Current() {
    }

    static @Nullable Turn turn() {
        return TURN.get();
    }

    static void enter(Turn turn) {
        TURN.set(turn);
    }

    static void leave(Turn turn) {
        var outer = turn.outer;
        if (outer == null) {
            TURN.remove();
        } else {
            TURN.set(outer);
        }
    }

    /** Runs code that belongs to an actor on a thread that does not run its turn. */
    static void runInside(Cell cell, Runnable code) {
        var inside = new Turn(cell, new StopNode(Reason.EXIT));
        inside.outer = turn();
        enter(inside);
        try {
            code.run();
        } finally {
            leave(inside);
        }
    }

    /** Whether the calling code runs inside this actor. */
    static boolean isInside(Cell cell) {
        for (var turn = turn(); turn != null; turn = turn.outer) {
            if (turn.cell == cell) {
                return true;
            }
        }
        return false;
    }
}
