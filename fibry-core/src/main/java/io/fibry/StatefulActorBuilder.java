package io.fibry;

import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import org.jspecify.annotations.Nullable;

/**
 * Makes actors that each have a state of their own. Immutable and thread-safe.
 *
 * <p>The supplier that is given to {@link ActorBuilder#state} has to tell the type of the state, and the handler the type of the
 * messages: {@link ActorBuilder} shows how.
 *
 * @param <S> type of the state
 */
public interface StatefulActorBuilder<S> {
    /**
     * Makes an actor that gives no answers.
     *
     * @param <M> type of the messages
     * @param handler what it does with its state and a message
     * @return the actor
     */
    <M> Actor<M, Void> newActor(StateHandler<S, M> handler);

    /**
     * Makes an actor that answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler what it does with its state and a message
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(StateReplyHandler<S, M, R> handler);
}
