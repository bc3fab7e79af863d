package io.fibry;

import io.fibry.time.Timers;
import org.jspecify.annotations.Nullable;

/**
 * An actor seen from inside its handler. It belongs to the handler: use it only while a handler of that
 * actor runs, on that handler's thread.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
public interface ActorContext<M, R extends @Nullable Object> {
    /**
     * The actor itself, free to be handed to others.
     *
     * @return the actor
     */
    Actor<M, R> self();

    /**
     * The scope the actor was made in.
     *
     * @return the scope
     */
    ActorScope scope();

    /**
     * Timers that send messages to this actor and end with it.
     *
     * @return the actor's timers
     */
    Timers<M> timers();

    /** Stops the actor after the current message, as {@link Actor#askExit()} does. */
    void stop();

    /**
     * Whether the actor was asked to exit. A handler that runs for long looks at this.
     *
     * @return true once {@link Actor#askExit()} was called
     */
    boolean exitRequested();
}
