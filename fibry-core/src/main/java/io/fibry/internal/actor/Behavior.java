package io.fibry.internal.actor;

import io.fibry.internal.limit.Permit;
import io.fibry.internal.run.Quota;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What an actor does with a message, in the one form the engine knows. */
public interface Behavior {
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
    default Optional<Host> crew() {
        return Optional.empty();
    }

    /** Returns a new view of the actor for its handler. */
    default <M, R extends @Nullable Object> Context<M, R> contextOf(Handle<M, R> cell) {
        return new Context<>(cell);
    }

    @Nullable Object handle(Turn turn, Object message) throws Exception;

    /** Runs code that was given to the actor; {@code shown} is what its giver knows of it. */
    default @Nullable Object call(Turn turn, Callable<? extends @Nullable Object> code, Object shown)
            throws Exception {
        return code.call();
    }

    /** What handles the next message, made if need be. It knows nothing of what else this makes. */
    default Behavior ready(Turn turn) throws Exception {
        return this;
    }

    /**
     * Lets go of what was made for a handler that goes on with it: another one is made for the next message. What is to
     * be closed when nobody needs it, if anything.
     */
    default @Nullable AutoCloseable abandon() {
        return null;
    }

    /** Makes what can be made anew: before the first message, or after a restart. What to handle first, if anything. */
    default @Nullable Node begin(Turn turn) throws Exception {
        return null;
    }

    /** Lets go of what {@link #begin} has made: the actor is to be restarted. */
    default void dispose() throws Exception {
    }
}
