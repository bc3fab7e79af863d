package io.fibry.function;

import io.fibry.ActorContext;
import org.jspecify.annotations.Nullable;

/**
 * Handles the messages of an actor that answers; or runs once with its state; or makes its handler, given its context.
 * A handler may block and may throw anything.
 *
 * <p>A handler is a {@link ContextReplyHandler} as well, which ignores the context. Where the compiler could choose either of
 * them for a method reference, it chooses this one.
 *
 * @param <M> type of the messages, or of the state or the context
 * @param <R> type of the answers, of the result, or of the handler that is made
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // both do the same
public interface ReplyHandler<M, R extends @Nullable Object> extends ContextReplyHandler<M, R> {
    /**
     * Handles one message.
     *
     * @param message the message, the state or the context
     * @return the answer
     * @throws Exception any exception; it becomes the failure of the answer
     */
    R handle(M message) throws Exception;

    /** Handles one message, as {@link #handle(Object)} does. */
    @Override
    default R handle(ActorContext<M, R> context, M message) throws Exception {
        return handle(message);
    }
}
