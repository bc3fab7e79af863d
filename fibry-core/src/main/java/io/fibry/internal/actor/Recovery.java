package io.fibry.internal.actor;

/**
 * What a turn does after a message and before the next one: it restarts the actor, or leaves the actor for a while.
 */
public interface Recovery {
    /** Does the step; returns false if a later turn has to do that, or what follows it. */
    boolean run(Turn turn);
}
