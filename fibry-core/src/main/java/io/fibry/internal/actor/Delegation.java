package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * How an actor lets a {@link StandIn} run its handler. Called by its turn, except for {@link #thread}.
 */
public interface Delegation {
    /** Returns the thread that works for the actor; null if none does. Called by any thread. */
    @Nullable Thread thread();

    /** Notes that the actor has nothing to do for now. */
    void rest();

    /** Notes that the actor has stopped. */
    void end();
}
