package io.fibry.internal;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an actor does with a message, in the one form the engine knows. */
interface Behavior {
    /** The user's class, of which there may be many objects. */
    default Class<?> handlerClass() {
        return getClass();
    }

    /** Whether all of the actor's life is one piece of code, which takes what messages it wants. */
    default boolean isBody() {
        return false;
    }

    /** A message is about to be handed to somebody else, with the places it has taken; false if it is not. */
    default boolean carries(Permit permit) {
        return false;
    }

    /** What is not handed over by now is not going to be. */
    default void carriesNoMore() {
    }

    /** What each message takes a place of, if there is a limit, until it has been handled. */
    default @Nullable Quota gate() {
        return null;
    }

    /** Scopes of actors that do this one's work. */
    default Optional<Scope> crew() {
        return Optional.empty();
    }

    @Nullable Object handle(Turn turn, Object message) throws Exception;

    /** Makes what can be made anew: before the first message, or after a restart. What to handle first, if anything. */
    default @Nullable Node begin(Turn turn) throws Exception {
        return null;
    }

    /** Lets go of what {@link #begin} has made: the actor is to be restarted. */
    default void dispose() throws Exception {
    }
}
