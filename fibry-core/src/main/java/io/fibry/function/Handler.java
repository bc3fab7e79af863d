package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.FailurePolicy;
import io.fibry.internal.report.ShownAs;
import java.util.Objects;

/**
 * Handles the messages of an actor, or runs once with its state or its context. A handler may block and may throw anything.
 *
 * <p>A handler is a {@link ContextHandler} as well, which ignores the context. Where the compiler could choose either of them
 * for a method reference, it chooses this one.
 *
 * @param <M> type of the messages, or of the state or the context
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // both do the same
public interface Handler<M> extends ContextHandler<M> {
    /**
     * Handles one message.
     *
     * @param message the message, the state or the context
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(M message) throws Exception;

    /**
     * Returns a handler that dumps, meters and recordings show as other code. This is for libraries whose handlers call
     * the code of their users.
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
}
