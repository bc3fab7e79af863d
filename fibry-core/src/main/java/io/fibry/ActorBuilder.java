package io.fibry;

import io.fibry.internal.Builder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says how actors are to be, and makes them. Builders are immutable and thread-safe: each call returns
 * another one, and one builder may make many actors (only one at a time if it has a name).
 *
 * <p>All {@code new…} methods throw {@link IllegalStateException} if the scope is closed, and
 * {@link IllegalArgumentException} if the name is taken.
 */
public sealed interface ActorBuilder permits Builder {
    /**
     * Where the actors run.
     *
     * @param strategy the strategy
     * @return the builder that says so
     */
    ActorBuilder strategy(CreationStrategy strategy);

    /**
     * How many messages may wait.
     *
     * @param policy the policy; unbounded by default
     * @return the builder that says so
     */
    ActorBuilder mailbox(MailboxPolicy policy);

    /**
     * What follows when a handler throws.
     *
     * @param policy the policy; resume by default
     * @return the builder that says so
     */
    ActorBuilder onFailure(FailurePolicy policy);

    /**
     * Adds a hook that runs inside the actor when it stops, exactly once, after its last message.
     *
     * @param hook the hook
     * @return the builder that says so
     */
    ActorBuilder onExit(Body hook);

    /**
     * What {@link Actor#close()} does.
     *
     * @param behavior the behaviour
     * @return the builder that says so
     */
    ActorBuilder onClose(CloseBehavior behavior);

    /**
     * Lets the cancellation (or time-out) of an answer interrupt the handler that is working on it.
     *
     * @return the builder that says so
     */
    ActorBuilder interruptOnCancel();

    /**
     * Lets threads that wait for an answer of the actor run its handler themselves, if it is idle or has not
     * started yet: that is several times faster than handing the message to another thread and waiting. It is
     * for handlers that only compute: one that blocks is exposed to interrupts of the caller, and runs with
     * the caller's thread-locals and locks. It changes nothing for actors on {@link CreationStrategy#threads()}.
     *
     * @return the builder that says so
     */
    ActorBuilder runByCallers();

    /**
     * Gives each actor a state of its own. It is made inside the actor, before its first message; if that
     * fails, the message that was to be handled fails with it, and the next one tries again.
     *
     * @param <S> type of the state
     * @param initial makes the state
     * @return the builder that says so
     */
    <S> StatefulActorBuilder<S> state(Supplier<? extends S> initial);

    /**
     * Makes an actor that gives no answers.
     *
     * @param <M> type of the messages
     * @param handler what it does with a message
     * @return the actor
     */
    <M> Actor<M, Void> newActor(Consumer<? super M> handler);

    /**
     * Makes an actor that gives no answers.
     *
     * @param <M> type of the messages
     * @param handler what it does with a message
     * @return the actor
     */
    <M> Actor<M, Void> newActor(Handler<M> handler);

    /**
     * Makes an actor that gives no answers and sees itself from inside.
     *
     * @param <M> type of the messages
     * @param handler what it does with a message
     * @return the actor
     */
    <M> Actor<M, Void> newActor(ContextHandler<M> handler);

    /**
     * Makes an actor that answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler what it does with a message
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(Function<? super M, ? extends R> handler);

    /**
     * Makes an actor that answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler what it does with a message
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(ReplyHandler<M, R> handler);

    /**
     * Makes an actor that answers and sees itself from inside.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler what it does with a message
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(ContextReplyHandler<M, R> handler);

    /**
     * Makes an actor whose handler may take further messages itself, in an order of its choice. While no
     * handler runs it is as cheap as any other.
     *
     * @param <M> type of the messages
     * @param handler what it does with a message
     * @return the actor
     */
    <M> Actor<M, Void> newReceivingActor(ReceivingHandler<M> handler);

    /**
     * Makes an actor whose whole life is one piece of straight-line code. It starts at once and stops when
     * the code returns or throws.
     *
     * @param <M> type of the messages
     * @param body the code
     * @return the actor
     */
    <M> Actor<M, Void> newReceivingActor(ReceivingBody<M> body);
}
