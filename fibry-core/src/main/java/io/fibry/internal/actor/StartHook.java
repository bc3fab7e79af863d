package io.fibry.internal.actor;

/** What an actor runs before its first message, and again after each restart. */
public interface StartHook {
    void run(Turn turn) throws Exception;
}
