package io.fibry.internal.actor;

/**
 * What a turn does after a failure and before the next message.
 */
public interface Recovery {
    /** Brings the actor back; returns false if a later turn has to do that, or what follows it. */
    boolean run(Turn turn);
}
