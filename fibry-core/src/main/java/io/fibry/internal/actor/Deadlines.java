package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * Until when the handler on this thread has time: the end of the ask that it works on, if that has one. The
 * {@link ExtendedState} of the actor keeps that ask while the handler runs.
 */
public final class Deadlines {
    /**
     * Whether there has ever been an ask with a time limit: as long as there was none nobody looks for one. It is set
     * before such an ask is sent, so its handler, and whoever that sends to, sees it.
     */
    private static boolean inUse;

    private Deadlines() {
    }

    static void enable() {
        if (!inUse) {
            inUse = true;
        }
    }

    /** What the handler on this thread works on and has to end in time. */
    static @Nullable TimedAnswer<?> current() {
        if (!inUse) {
            return null;
        }
        var turn = Current.turn();
        return turn == null ? null : turn.deadline();
    }
}
