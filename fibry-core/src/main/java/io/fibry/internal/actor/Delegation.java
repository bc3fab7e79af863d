package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/** How an actor has a {@link StandIn} run its handler. Called by its turn, but for {@link #thread}. */
public interface Delegation {
    /** Returns the thread that works for the actor; null if none does. Called by any thread. */
    @Nullable Thread thread();

    /** The actor has nothing to do for now. */
    void rest();

    /** The actor will have nothing to do any more. */
    void end();
}
