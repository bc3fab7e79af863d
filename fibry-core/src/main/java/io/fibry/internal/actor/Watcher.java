package io.fibry.internal.actor;

import io.fibry.event.Stopped;

/**
 * A feature or actor that is told of the end of another actor.
 */
public interface Watcher {
    /**
     * Called once, by the thread that has ended the actor, or by a thread that came too late to be told by
     * it.
     */
    void hear(Cell ended, Stopped how);
}
