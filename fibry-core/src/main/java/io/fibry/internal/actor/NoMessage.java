package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * What a turn works on while it runs code that belongs to no single message: hooks for the start, factories, and code
 * that was given to the actor. Such code may run for the first message of an actor, and must not take its reply away, or
 * put it aside.
 */
public enum NoMessage {
    NONE;

    /** Notes that such code begins; returns what to give to {@link #end}. */
    public static @Nullable Object begin(Turn turn) {
        var around = turn.asked;
        turn.asked = NONE;
        return around;
    }

    /** Notes that such code has ended. */
    public static void end(Turn turn, @Nullable Object around) {
        turn.asked = around;
    }

    /** Returns whether such code runs. */
    static boolean isHandled(@Nullable Turn turn) {
        return turn != null && turn.asked == NONE;
    }
}
