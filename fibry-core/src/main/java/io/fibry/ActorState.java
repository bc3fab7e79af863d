package io.fibry;

/** What an actor is doing, as far as an outsider can tell at that moment. */
public enum ActorState {
    /** Nothing to do. On fibers it holds no thread. */
    IDLE,
    /** Handling messages, or about to. */
    BUSY,
    /** Asked to exit or past it: running its exit hooks, or about to. */
    STOPPING,
    /** Gone: exit hooks have run, the name is free. */
    STOPPED
}
