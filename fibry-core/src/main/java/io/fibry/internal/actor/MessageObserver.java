package io.fibry.internal.actor;

/**
 * A feature that has to know when an actor begins and ends to handle a message. Called by the actor's turn.
 */
public interface MessageObserver {
    void onBegin(Node node);

    void onEnd();
}
