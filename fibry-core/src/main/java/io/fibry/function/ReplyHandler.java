package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.ActorException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles the messages of an actor that answers; or runs once with its state, or makes the handler of the actor that a
 * context stands for. A handler may block and may throw anything.
 *
 * <p>A handler is a {@link Function} and a {@link ContextReplyHandler} as well. Where the compiler could choose any of
 * the three for a lambda or a method reference, it chooses this one. A handler that is given its actor's context
 * ignores it.
 *
 * @param <M> type of the messages, or of the state or the context
 * @param <R> type of the answers, of the result, or of the handler that is made
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // apply does what handle does
public interface ReplyHandler<M, R extends @Nullable Object>
        extends
            Function<M, R>,
            ContextReplyHandler<M, R> {
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

    /**
     * Handles one message, as {@link #handle(Object)} does. A checked exception is thrown wrapped in an {@link
     * ActorException}.
     */
    @Override
    default R apply(M message) {
        try {
            return handle(message);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ActorException("the handler failed on a message of " + message.getClass().getName(), e);
        }
    }
}
