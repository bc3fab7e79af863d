package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/** What an actor does with a message, in the one form the engine knows. */
interface Behavior {
    /** The user's class, of which there may be many objects. */
    default Class<?> handlerClass() {
        return getClass();
    }

    @Nullable Object handle(Turn turn, Object message) throws Exception;
}
