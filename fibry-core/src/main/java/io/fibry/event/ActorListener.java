package io.fibry.event;

/**
 * Receives the events of a scope. A listener is called on the thread on which the event happens, which is often the
 * thread of a sender or of an actor. It may be called on several threads at the same time, so it must be quick and
 * thread-safe. What a listener throws is logged and has no other effect. An event that a listener itself causes is
 * logged and not sent to listeners.
 */
@FunctionalInterface
public interface ActorListener {
    /**
     * Called for each event.
     *
     * @param event the event
     */
    void on(ActorEvent event);

    /**
     * Tells whether the events of this listener count as taken. An event that no listener takes is logged. A listener that only
     * watches, such as one that counts or shows events for a while, returns false here: then what is logged without it is
     * logged beside it, too. The method is called once, when the listener is added.
     *
     * @return true by default
     */
    default boolean takesEvents() {
        return true;
    }
}
