package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/** What an actor does with a message, in the one form the engine knows. */
@FunctionalInterface
interface Behavior {
    @Nullable Object handle(Turn turn, Object message) throws Exception;
}
