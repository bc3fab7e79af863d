package io.fibry.function;

import io.fibry.ActorException;
import io.fibry.FailurePolicy;
import java.util.function.Consumer;

/**
 * What an actor does with a message. It may block and may throw anything.
 *
 * <p>It is a {@link Consumer} as well, so that lambdas prefer it where both would fit; they may then throw
 * checked exceptions.
 *
 * @param <M> type of the messages
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // accept does what handle does
public interface Handler<M> extends Consumer<M> {
    /**
     * Handles one message.
     *
     * @param message the message
     * @throws Exception whatever went wrong; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(M message) throws Exception;

    /** {@inheritDoc} A checked exception is thrown wrapped in an {@link ActorException}. */
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
