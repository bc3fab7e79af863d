package io.fibry;

import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import org.jspecify.annotations.Nullable;

/**
 * Makes actors that each have a state of their own. Builders are immutable and thread-safe.
 *
 * <p>The compiler has to know the type of the state, which the supplier given to {@link ActorBuilder#state} determines,
 * and the type of the messages, which the handler determines. {@link ActorBuilder} shows how.
 *
 * @param <S> type of the state
 */
public interface StatefulActorBuilder<S> {
    /**
     * Makes an actor that gives no answers.
     *
     * @param <M> type of the messages
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <M> Actor<M, Void> newActor(StateHandler<S, M> handler);

    /**
     * Makes an actor that answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(StateReplyHandler<S, M, R> handler);
}
