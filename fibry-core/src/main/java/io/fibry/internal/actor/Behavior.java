package io.fibry.internal.actor;

import io.fibry.function.Body;
import io.fibry.internal.limit.Permit;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What an actor does with a message, in the one form that the engine knows. */
public interface Behavior {
    /** Returns the user's class, of which there may be many objects. */
    default Class<?> handlerClass() {
        return getClass();
    }

    /** Returns the class that reports name; null if the actor has ended, since its own behavior is not kept. */
    static @Nullable Class<?> reportedHandler(Behavior now) {
        return now instanceof EndedBehavior ? null : now.handlerClass();
    }

    /**
     * Returns whether the actor's whole life is one piece of code, which itself takes the messages that it
     * wants.
     */
    default boolean isBody() {
        return false;
    }

    /**
     * Offers the places of a message that is about to be passed on to another actor; returns false if they
     * stay with the message.
     */
    default boolean carries(Permit permit) {
        return false;
    }

    /** Notes that the message was handled: places that were not passed on with it by now are not going to be. */
    default void carriesNoMore() {
    }

    /** Returns whether the handling of a message may end with a {@link Feature} that keeps it. */
    default boolean mayKeep() {
        return false;
    }

    /**
     * Replaces the handler from the next message on, or brings back the first one if {@code handler} is null. Returns false
     * if this behavior has no handler that can be replaced by this one.
     */
    default boolean become(@Nullable Object handler) {
        return false;
    }

    /** Returns the scope of the actors that do this actor's work, if there are any. */
    default Optional<Host> crew() {
        return Optional.empty();
    }

    /** Gives a new actor what this behavior needs in it. Called before any thread sends to the actor. */
    default void equip(Cell cell) {
    }

    /** Handles a message; returns the answer, or the {@link Feature} that keeps a message which is not finished. */
    @Nullable Object handle(Turn turn, Object message) throws Exception;

    /** Runs code that was given to the actor; {@code shown} is the object that its giver knows. */
    default @Nullable Object call(Turn turn, Callable<? extends @Nullable Object> code, Object shown)
            throws Exception {
        return bound(turn, code).call();
    }

    /** Returns whether the actor has a state that code which is given to it can run with. */
    default boolean hasState() {
        return false;
    }

    /** Returns code that was given to the actor, with the state of the actor if the code needs it. */
    default Callable<? extends @Nullable Object> bound(Turn turn,
            Callable<? extends @Nullable Object> code) throws Exception {
        return code;
    }

    /**
     * Returns what handles the next message, and makes it if need be. What is returned refers to nothing else
     * that this behavior makes.
     */
    default Behavior ready(Turn turn) throws Exception {
        return this;
    }

    /**
     * Drops what was made for a handler that goes on with it: another one is made for the next message.
     * Returns what has to be closed when nothing needs it any more; null if there is nothing to close.
     */
    default @Nullable AutoCloseable abandon() {
        return null;
    }

    /**
     * Makes what can be made anew: before the first message, or after a restart. Returns what is to run
     * first; null if there is nothing.
     */
    default @Nullable Signal begin(Turn turn) throws Exception {
        return null;
    }

    /** Makes what a body needs before it runs for the first time. {@link #begin} does this for later runs. */
    default void prepare(Turn turn) throws Exception {
    }

    /** Drops what {@link #begin} has made, since the actor is to be restarted. */
    default void dispose() throws Exception {
    }

    /** Closes what a behavior works with. */
    record Disposal(Behavior behavior) implements Body {
        @Override
        public void run() throws Exception {
            behavior.dispose();
        }
    }
}
