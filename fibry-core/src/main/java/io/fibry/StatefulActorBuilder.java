package io.fibry;

import io.fibry.function.Body;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import org.jspecify.annotations.Nullable;

/**
 * Makes actors that each have a state of their own. Builders are immutable and thread-safe.
 *
 * <p>The compiler has to know the type of the state, which the supplier given to {@link ActorBuilder#state} determines,
 * and the type of the messages, as {@link ActorBuilder} says. So the supplier names the types of a generic state:
 * {@code HashMap<String, Integer>::new}, and not {@code HashMap::new}. A handler that is a lambda takes the state and
 * the message, or the context, the state and the message:
 *
 * <pre>{@code
 * var words = builder.state(HashMap<String, Integer>::new).of(String.class);
 * var first = words.newActor((counts, word) -> counts.merge(word, 1, Integer::sum));
 * var second = words.newActor((context, counts, word) -> {
 *     if (counts.merge(word, 1, Integer::sum) == 100) {
 *         context.askExit();
 *     }
 * });
 * first.execWithState(counts -> counts.remove("the"));
 * }</pre>
 *
 * <p>An actor that receives its messages itself has its state in the local variables of its body: see {@link
 * ActorBuilder#newReceivingActor(Handler)}.
 *
 * @param <S> type of the state
 */
public interface StatefulActorBuilder<S> {
    /**
     * Returns a builder that also has the given hook for the start, which gets the state. The state is made at once
     * when the actor is made, and then the hook runs. All else is as for {@link ActorBuilder#onStart(Body)}.
     *
     * @param hook the hook
     * @return the new builder
     */
    StatefulActorBuilder<S> onStart(Handler<S> hook);

    /**
     * Returns a builder that also has the given exit hook, which gets the state. It runs after the exit hooks of {@link
     * ActorBuilder#onExit} that were given before, and before the state is closed. The state of such an actor is made
     * at once when the actor is made. The hook does not run if there is no state at the end: because none could be made,
     * because the actor was ended before it began, or because its {@linkplain ActorBuilder#abandonStuck last handler was
     * abandoned} with the state.
     *
     * @param hook the hook
     * @return the new builder
     */
    StatefulActorBuilder<S> onExit(Handler<S> hook);

    /**
     * Returns a builder that tells the compiler the type of the messages, as {@link ActorBuilder#of} does.
     *
     * @param <M> type of the messages
     * @param messages the class or interface of the messages
     * @return the new builder
     */
    <M> TypedStatefulActorBuilder<S, M> of(Class<M> messages);

    /**
     * Makes an actor that gives no answers.
     *
     * @param <M> type of the messages
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <M> StatefulActor<S, M, Void> newActor(StateHandler<S, M> handler);

    /**
     * Makes an actor that gives no answers and whose handler gets the actor's context.
     *
     * @param <M> type of the messages
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <M> StatefulActor<S, M, Void> newActor(ContextStateHandler<S, M> handler);

    /**
     * Makes an actor that answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <M, R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            StateReplyHandler<S, M, R> handler);

    /**
     * Makes an actor that answers and whose handler gets the actor's context.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler handles a message with the state of the actor
     * @return the actor
     */
    <M, R extends @Nullable Object> StatefulActor<S, M, R> newActorWithReturn(
            ContextStateReplyHandler<S, M, R> handler);
}
