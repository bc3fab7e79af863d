package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.FailurePolicy;
import io.fibry.internal.actor.ShownAs;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Handles the messages of an actor, or runs once with its state or its context. A handler may block and may throw anything.
 *
 * <p>A handler is a {@link Consumer} and a {@link ContextHandler} as well. Where the compiler could choose any of the
 * three for a lambda or a method reference, it chooses this one. A handler that is given its actor's context ignores
 * it.
 *
 * @param <M> type of the messages, or of the state or the context
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // accept does what handle does
public interface Handler<M> extends Consumer<M>, ContextHandler<M> {
    /**
     * Handles one message.
     *
     * @param message the message, the state or the context
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(M message) throws Exception;

    /**
     * Returns a handler that dumps, meters and recordings show as other code. This is for libraries whose handlers call the code
     * of their users.
     *
     * @param <M> type of the messages
     * @param code the code, whose class is shown
     * @param handler handles the messages
     * @return the handler
     */
    static <M> Handler<M> shownAs(Object code, Handler<M> handler) {
        return new ShownAs.Calling<>(Objects.requireNonNull(code, "code"),
                Objects.requireNonNull(handler, "handler"));
    }

    /** Handles one message, as {@link #handle(Object)} does. */
    @Override
    default void handle(ActorContext<M, Void> context, M message) throws Exception {
        handle(message);
    }

    /**
     * Handles one message, as {@link #handle(Object)} does. A checked exception is thrown wrapped in an {@link
     * ActorException}.
     */
    @Override
    default void accept(M message) {
        try {
            handle(message);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ActorException("the handler failed on a message of " + message.getClass().getName(), e);
        }
    }
}
