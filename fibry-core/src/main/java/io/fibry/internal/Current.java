package io.fibry.internal;

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
