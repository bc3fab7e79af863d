package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/** A mailbox that several actors share, as one of them uses it. Called by the turn of that actor, after it has handled all its own messages. */
public interface MessageSource {
    /**
     * Takes the next message, which the turn handles at once. Until then no thread but this one knows the message, and the actor is
     * not idle.
     *
     * @return the message or its node; null if there is none, or if the actor is not to take one
     */
    @Nullable Object take(Turn turn);

    /** Calls the code for an actor that has no message; returns whether the actor is to look again. */
    boolean look();
}
