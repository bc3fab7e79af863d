package io.fibry.internal.actor;

/**
 * A feature that follows the life of one actor.
 */
public interface LifecycleListener {
    /** The actor is being made, and its mailbox is busy. */
    void onMaking();

    /**
     * The actor is about to become idle, as far as the caller knows. Called by its turn, and by the thread that ends what the
     * actor owes beside its turn: a deferred reply.
     */
    void onIdle();

    /** The actor is stopping, and its phase shows that. */
    void onStopping();

    /** The actor has stopped, and all that belongs to its end is done. */
    void onStopped();
}
