package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * What a message holds in the place of the user's object, if there is more to it: {@link Code} to run, or a {@link
 * Parcel}. Most messages hold the bare object, and pay one look at its class for what others have.
 */
abstract class Wrapped {
    /** Handles the message that holds this. Called by the turn. */
    abstract void handle(Turn turn, MessageNode message);

    /** Returns the user's object, which reports show. */
    abstract Object content();

    /** Returns the code, if the message is code. */
    abstract @Nullable Code code();

    /** Gives up what belongs to the message, which needs it no more. Called by any thread, and possibly more than once. */
    void release() {
    }
}
