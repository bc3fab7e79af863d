package io.fibry.event;

/**
 * Hears what happens in a scope. It is called on the thread where the event happened, often a sender's or
 * an actor's, one after another on one thread but concurrently on several: be quick, and thread-safe. What
 * it throws is logged and harms nobody. Events caused by a listener itself are logged, not sent to
 * listeners again.
 */
@FunctionalInterface
public interface ActorListener {
    /**
     * Hears one event.
     *
     * @param event the event
     */
    void on(ActorEvent event);
}
