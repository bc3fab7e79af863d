package io.fibry.function;

import io.fibry.ActorException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an actor that answers does with a message. It may block and may throw anything.
 *
 * <p>It is a {@link Function} as well, so that lambdas prefer it where both would fit; they may then throw
 * checked exceptions.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // apply does what handle does
public interface ReplyHandler<M, R extends @Nullable Object> extends Function<M, R> {
    /**
     * Handles one message.
     *
     * @param message the message
     * @return the answer, for whoever asked
     * @throws Exception whatever went wrong; it becomes the answer's failure
     */
    R handle(M message) throws Exception;

    /** {@inheritDoc} A checked exception is thrown wrapped in an {@link ActorException}. */
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
