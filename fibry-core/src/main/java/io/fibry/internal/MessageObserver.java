package io.fibry.internal;

/** A feature that has to know when an actor begins and ends to handle a message. Called by the actor's turn. */
interface MessageObserver {
    void onBegin(Node node);

    void onEnd();
}
