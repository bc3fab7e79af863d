package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import org.jspecify.annotations.Nullable;

/**
 * A feature that has to know when an actor begins and ends to handle a message. Called by the actor's turn, where nothing else is
 * said.
 */
public interface MessageObserver {
    /** The turn is about to handle an entry of the mailbox: a node, or a message that has none. */
    void begins(Turn turn, Object entry);

    void onEnd();

    /** A message for the actor was lost. Called by any thread. */
    default void onLoss(Cause cause) {
    }

    /** The actor was restarted. */
    default void onRestart() {
    }

    /** An ask of the actor got no answer in time. Called by any thread. */
    default void onAskTimeout() {
    }

    /** Returns what observes the actor after its end, when its messages are lost; null if nothing does. */
    default @Nullable MessageObserver afterEnd() {
        return null;
    }
}
