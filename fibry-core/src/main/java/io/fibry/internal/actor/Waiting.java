package io.fibry.internal.actor;

import io.fibry.AskCycleException;

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

    /** Returns whether this wait ends if it is part of a cycle, so that the others go on. */
    default boolean mayGiveWay() {
        return false;
    }

    /** Ends this wait, which is part of a cycle; returns false if it cannot end any more. Called by any thread. */
    default boolean giveWay(AskCycleException why) {
        return false;
    }

    /** The edge of an actor on whose stack another actor runs: it goes on when the other one has ended its turn. */
    record NestedEdge(Cell target) implements Waiting {
        @Override
        public boolean isOver() {
            return false;
        }
    }
}
