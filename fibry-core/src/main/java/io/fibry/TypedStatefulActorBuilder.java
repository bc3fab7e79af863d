package io.fibry;

import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import org.jspecify.annotations.Nullable;

/**
 * Makes actors whose types of state and messages are known, so that their handlers are lambdas without types also where
 * the actor is assigned to a {@code var}. {@link StatefulActorBuilder#of} and {@link TypedActorBuilder#state} return
 * it. Builders are immutable and thread-safe.
 *
 * <pre>{@code
 * var sales = scope.named("sales").state(HashMap<String, Integer>::new).of(String.class)
 *         .newActorWithReturn((sold, item) -> sold.merge(item, 1, Integer::sum));
 * }</pre>
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 */
public interface TypedStatefulActorBuilder<S, M> {
    /**
     * Returns a builder that also has the given hook for the start, which gets the actor's context and its state. All
     * else is as for {@link StatefulActorBuilder#onStart}.
     *
     * @param hook the hook, which gets the context as the first value
     * @return the new builder
     */
    TypedStatefulActorBuilder<S, M> onStart(StateHandler<ActorContext<M, ?>, S> hook);

    /**
     * Makes an actor that gives no answers.
     *
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    StatefulActor<S, M, Void> newActor(StateHandler<S, M> handler);

    /**
     * Makes an actor that gives no answers and whose handler gets the actor's context.
     *
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    StatefulActor<S, M, Void> newActor(ContextStateHandler<S, M> handler);

    /**
     * Makes an actor that answers.
     *
     * @param <R> type of the answers
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            StateReplyHandler<S, M, R> handler);

    /**
     * Makes an actor that answers and whose handler gets the actor's context. {@link
     * TypedActorBuilder#newActorWithReturn(io.fibry.function.ContextReplyHandler)} says how the compiler learns the type of the
     * answers.
     *
     * @param <R> type of the answers
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            ContextStateReplyHandler<S, M, R> handler);
}
