package io.fibry.internal.actor;

/** What a turn does after a failure and before the next message. */
public interface Recovery {
    /** Brings the actor back; false if that, or what follows it, is for a later turn. */
    boolean run(Turn turn);
}
