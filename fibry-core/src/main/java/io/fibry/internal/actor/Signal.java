package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/** A node by which the engine tells an actor something. It ignores the bound of the mailbox, and its loss is not reported. */
public abstract class Signal extends Node {
    /** Does what this signal is for, on a turn of the actor. Throws nothing. */
    public abstract void run(Turn turn);

    /** As {@link #run}, where the strategy has refused to run the actor, and the turn only clears its mailbox. */
    public void refused(Turn turn, Throwable why) {
        run(turn); // most signals depend on no executor
    }

    /** Returns the same signal once more, to be put at the back of a mailbox; null if this one may be dropped to make space. */
    public @Nullable Signal again() {
        return null;
    }
}
