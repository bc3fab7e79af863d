package io.fibry.internal.scope;

import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Turn;

/** What an actor runs before its first message, and again after each restart. */
public interface StartHook {
    /** Runs the hook; {@code started} is the behavior that has been made, with its state if it has one. */
    void run(Turn turn, Behavior started) throws Exception;
}
