package io.fibry;

/** What an actor is doing at a moment, as other threads see it. */
public enum ActorState {
    /** The actor has nothing to do. On fibers it holds no thread. */
    IDLE,
    /** The actor handles messages or is about to. */
    BUSY,
    /** The actor was asked to exit. It runs its exit hooks or is about to. */
    STOPPING,
    /** The actor has stopped: its exit hooks have run, and its name is free. */
    STOPPED
}
