package io.fibry.internal.actor;

/** Something that keeps an actor between two messages, and ends early if the actor is asked to exit. */
public interface Hold {
    /** Called by any thread after it has asked the actor to exit, or has forced its end, perhaps more than once. */
    void onExitRequest();

    /** Returns whether the actor is held, and all that has to be done for its release is up to other actors. */
    boolean isWaiting();
}
