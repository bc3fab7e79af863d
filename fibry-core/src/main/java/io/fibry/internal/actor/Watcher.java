package io.fibry.internal.actor;

import io.fibry.event.Stopped;

/** Somebody who is to hear of an actor's end. */
public interface Watcher {
    /** Called once, by the thread that has ended the actor, or by one that came too late to be told. */
    void hear(Cell ended, Stopped how);
}
