package io.fibry.internal.actor;

/**
 * The reason why an actor does not go on: it waits for another actor. Instances are the edges of the graph of
 * waiting actors.
 */
public interface Waiting {
    /** Returns the actor that is waited for. */
    Cell target();

    /** Returns whether the wait is as good as over, so that this is no edge any more. */
    boolean isOver();

    /**
     * Returns whether the wait ends only if the target goes on. A wait that does not is no edge: it is over, or it is
     * for a reply that the target has deferred and that any thread can complete.
     */
    default boolean dependsOnTarget() {
        return !isOver();
    }
}
