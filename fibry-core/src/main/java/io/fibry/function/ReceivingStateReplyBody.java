package io.fibry.function;

import io.fibry.FailurePolicy;
import io.fibry.ReceivingReplyContext;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ReceivingReplyBody} of an actor with a state of its own.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface ReceivingStateReplyBody<S, M, R extends @Nullable Object> {
    /**
     * Runs the actor. While the body waits for a message, code that is given to the actor may run with the state.
     *
     * @param context the actor seen from inside
     * @param state the actor's state, which is another one after a restart
     * @throws Exception any exception; it is reported and the actor stops, unless its {@link FailurePolicy} is to
     *         restart it
     */
    void run(ReceivingReplyContext<M, R> context, S state) throws Exception;
}
