package io.fibry;

import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReceivingReplyHandler;
import io.fibry.function.ReplyHandler;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes actors whose type of messages is known, so that their handlers are lambdas without types also where the actor is
 * assigned to a {@code var}. {@link ActorBuilder#of} returns it, after the settings. The methods do what those of the
 * same names of {@link ActorBuilder} do. Builders are immutable and thread-safe.
 *
 * <pre>{@code
 * var log = scope.named("log").of(String.class).newActor(text -> write(text.trim()));
 * }</pre>
 *
 * @param <M> type of the messages
 */
public interface TypedActorBuilder<M> {
    /**
     * Returns a builder whose actors each have a state of their own, as {@link ActorBuilder#state} does.
     *
     * @param <S> type of the state
     * @param initial makes the state
     * @return the new builder
     */
    <S> TypedStatefulActorBuilder<S, M> state(Supplier<? extends S> initial);

    /**
     * Makes an actor that gives no answers.
     *
     * @param handler what it does with a message
     * @return the actor
     */
    Actor<M, Void> newActor(Handler<M> handler);

    /**
     * Makes an actor that gives no answers and whose handler gets the actor's context.
     *
     * @param handler what it does with a message
     * @return the actor
     */
    Actor<M, Void> newActor(ContextHandler<M> handler);

    /**
     * Makes an actor that answers.
     *
     * @param <R> type of the answers
     * @param handler what it does with a message
     * @return the actor
     */
    <R extends @Nullable Object> Actor<M, R> newActorWithReturn(ReplyHandler<M, R> handler);

    /**
     * Makes an actor that answers and whose handler gets the actor's context. The context has the type of the answers,
     * which the compiler does not infer from the body of a lambda: declare the type of the variable, or give a type
     * argument, as in {@code .<Integer>newActorWithReturn((context, text) -> text.length())}.
     *
     * @param <R> type of the answers
     * @param handler what it does with a message
     * @return the actor
     */
    <R extends @Nullable Object> Actor<M, R> newActorWithReturn(ContextReplyHandler<M, R> handler);

    /**
     * Makes an actor that gives no answers, whose handler is made inside the actor.
     *
     * @param factory makes the handler
     * @return the actor
     * @see ActorBuilder#newActorFrom(ReplyHandler)
     */
    Actor<M, Void> newActorFrom(ReplyHandler<ActorContext<M, Void>, Handler<M>> factory);

    /**
     * Makes an actor that answers, whose handler is made inside the actor.
     *
     * @param <R> type of the answers
     * @param factory makes the handler
     * @return the actor
     * @see ActorBuilder#newActorWithReturnFrom(ReplyHandler)
     */
    <R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            ReplyHandler<ActorContext<M, R>, ReplyHandler<M, R>> factory);

    /**
     * Makes an actor whose handler may take further messages itself.
     *
     * @param handler what it does with a message
     * @return the actor
     * @see ActorBuilder#newReceivingActor(ReceivingHandler)
     */
    Actor<M, Void> newReceivingActor(ReceivingHandler<M> handler);

    /**
     * Makes an actor whose whole life is one piece of straight-line code.
     *
     * @param body the code
     * @return the actor
     * @see ActorBuilder#newReceivingActor(Handler)
     */
    Actor<M, Void> newReceivingActor(Handler<ReceivingContext<M>> body);

    /**
     * Makes an actor that answers and whose handler may take further messages itself.
     *
     * @param <R> type of the answers
     * @param handler what it does with a message
     * @return the actor
     * @see ActorBuilder#newReceivingActorWithReturn(ReceivingReplyHandler)
     */
    <R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(ReceivingReplyHandler<M, R> handler);

    /**
     * Makes an actor that answers and whose whole life is one piece of straight-line code.
     *
     * @param <R> type of the answers
     * @param body the code
     * @return the actor
     * @see ActorBuilder#newReceivingActorWithReturn(Handler)
     */
    <R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(
            Handler<ReceivingReplyContext<M, R>> body);
}
