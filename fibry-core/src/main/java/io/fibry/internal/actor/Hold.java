package io.fibry.internal.actor;

import java.util.function.Predicate;

/** Something that keeps an actor between two messages, and ends early if the actor is asked to exit. */
public interface Hold {
    /** Called by any thread after it has asked the actor to exit, or has forced its end, perhaps more than once. */
    void onExitRequest();

    /** Returns whether the actor is held, and all that has to be done for its release is up to other actors. */
    boolean isWaiting();

    /** Returns whether the code that the actor runs was interrupted for one of the actors that are held for it. */
    default boolean isInterrupted() {
        return false;
    }

    /** Returns whether an actor that matches the predicate is held for the code that the actor runs. */
    default boolean holds(Predicate<Cell> which) {
        return false;
    }
}
