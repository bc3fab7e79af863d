package io.fibry;

import io.fibry.function.Body;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.HandlerFactory;
import io.fibry.function.ReceivingBody;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.ReplyHandlerFactory;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Describes actors and makes them. Builders are immutable and thread-safe: each call returns another builder. One builder may
 * make many actors, but only one at a time if it has a name.
 *
 * <p>Scopes give builders. Programs do not implement this interface.
 *
 * <p>The compiler has to know the type of the messages. A lambda with typed parameters tells it, and so does a handler that is
 * a class, the type of the variable, or a type argument. Without any of them the messages are of type {@code Object}: a
 * handler that needs another type does not compile, and a handler that accepts any object makes an actor that accepts any
 * object.
 *
 * <pre>{@code
 * var first = builder.newActor((String text) -> write(text));
 * Actor<String, Void> second = builder.newActor(list::add);
 * var third = builder.<String>newActorFrom(context -> text -> write(text));
 * var fourth = builder.state(HashMap<String, Integer>::new)
 *         .<String>newActor((counts, text) -> counts.merge(text, 1, Integer::sum));
 * }</pre>
 *
 * <p>All {@code new…} methods throw {@link IllegalStateException} if the scope is closed, and
 * {@link IllegalArgumentException} if the name is taken.
 */
public interface ActorBuilder {
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
     * Lets the cancellation (or time-out) of an answer interrupt the handler that is working on it. The handler of an ask
     * that takes another one by {@link ReceivingContext#receive} is working on both, until it receives again or ends.
     *
     * @return the builder that says so
     */
    ActorBuilder interruptOnCancel();

    /**
     * Lets the actor go on without a handler that does not end. One that has worked on a message (or code given to the
     * actor) for longer than {@code limit} is interrupted; if it has not ended {@code grace} after that, it is
     * abandoned: the message has failed, with a {@link HandlerAbandonedException}, what follows a failure follows, and
     * the next message is handled on another thread. A handler that is interrupted by a forced stop has that grace as
     * well, and no more.
     *
     * <p>The abandoned thread may run for ever, but not as the actor: whatever it then calls of its {@link ActorContext},
     * or a wait for an answer that is not there yet, throws a {@link HandlerAbandonedException}; what it sends counts as
     * sent from outside. A
     * handler or state that a factory has made is made anew before the next message, whatever the policy; the old one is
     * closed by the abandoned thread, when that has ended. What the two share otherwise, such as a handler that is a
     * lambda with fields, is then used by both at a time.
     *
     * <p>Handlers run on threads of their own, for which the actor's turns wait: virtual ones on
     * {@link CreationStrategy#fibers()}, else platform threads. That costs some microseconds for each message. Factories,
     * exit hooks and {@code close} run where they always do and are not abandoned. Not for strategies whose threads are
     * not the library's ({@link CreationStrategy#caller()}, {@link CreationStrategy#of}, a user's own), nor with
     * {@link #runByCallers()}, nor for receiving actors, bodies, workers, groups, rate-limited actors and servers: their
     * making throws an {@link IllegalStateException}.
     *
     * @param limit how long a handler may work on one message, more than zero
     * @param grace how long it may take to end after it was interrupted
     * @return the builder that says so
     */
    ActorBuilder abandonStuck(Duration limit, Duration grace);

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
     * Keeps the actor's handlers and those of other actors off each other's stacks. Else an actor on
     * {@link CreationStrategy#fibers()} that waits for an answer may have the one that it asks run on its stack, and so does
     * one that sends to an actor on {@link CreationStrategy#caller()}. The one on top then has what belongs to
     * the stack and the thread below: {@code ScopedValue}s that are bound there, locks that are held, thread-locals. Which
     * of the two happens is a matter of timing.
     *
     * <p>With this, what the actor's code has bound or locked is neither seen nor entered by the actors that it sends to,
     * nor the other way round. An ask then costs the hand-over to another thread and back, each time. It does not give
     * the actor threads of its own: what a handler leaves in a thread-local may be found by the next one on its thread.
     *
     * <p>An actor whose handlers run on the stack of others by its own wish cannot be made so, and its making throws an
     * {@link IllegalStateException}: one on {@link CreationStrategy#caller()}, or with {@link #runByCallers()}. If an
     * executor of {@link CreationStrategy#of} runs its tasks where they are submitted, this holds between actors, but
     * senders that are not actors still have the handler on their stack.
     *
     * @return the builder that says so
     */
    ActorBuilder ownStack();

    /**
     * When the actor is stopped as its scope is closed: actors of a lower phase are stopped, and waited for, before those
     * of a higher one; those of one phase are stopped at the same time. Actors of a phase below zero bring in work: they
     * are stopped before the others are drained. Servers are in phase -1 unless they are given another one.
     *
     * @param phase the phase; zero by default
     * @return the builder that says so
     */
    ActorBuilder stopPhase(int phase);

    /**
     * Stops each actor after it has had nothing to do for some time, with its exit hooks as usual. A message
     * that it accepts meanwhile is handled and calls that off; one that comes after it is refused like any that is sent
     * to a stopped actor. Its own timers' messages count as something to do. Not for receiving
     * actors.
     *
     * @param quiet for how long it may have nothing to do, more than zero
     * @return the builder that says so
     */
    ActorBuilder stopWhenIdle(Duration quiet);

    /**
     * Gives each actor a state of its own. It is made inside the actor, before its first message; if that
     * fails, the message that was to be handled fails with it, and the next one tries again. After a restart it is
     * made anew before the next message. A state that is {@link AutoCloseable} is closed when the actor is restarted, and
     * after its exit hooks when it stops; so it should be the actor's own.
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
     * Makes an actor that gives no answers, whose handler is made inside the actor: at once, and again after each
     * restart. If the factory throws, the actor has failed. If the policy is to {@linkplain FailurePolicy#resume()
     * resume}, the factory is called again for the next message.
     *
     * <p>The compiler cannot infer the type of the messages from a factory such as {@code context -> message -> …}, since
     * a lambda without typed parameters says nothing about types. If the result is assigned to a {@code var}, the actor is
     * an {@code Actor<Object, Void>}. The compiler does not warn, and no overload of this method could refuse only this
     * case, because the compiler chooses a method before it looks at the variable. A type argument gives the type of the
     * messages, and so does the type of the variable:
     *
     * <pre>{@code
     * var first = builder.<String>newActorFrom(context -> text -> write(text));
     * Actor<String, Void> second = builder.newActorFrom(context -> text -> write(text));
     * }</pre>
     *
     * @param <M> type of the messages
     * @param factory makes the handler
     * @return the actor
     */
    <M> Actor<M, Void> newActorFrom(HandlerFactory<M> factory);

    /**
     * Makes an actor that gives no answers, whose handler is made inside the actor.
     * {@link #newActorFrom(HandlerFactory)} describes when the handler is made.
     *
     * @param <M> type of the messages
     * @param factory makes the handler
     * @return the actor
     */
    <M> Actor<M, Void> newActorFrom(Supplier<? extends Handler<M>> factory);

    /**
     * Makes an actor that answers, whose handler is made inside the actor. {@link #newActorFrom(HandlerFactory)} describes
     * when the handler is made, and how the compiler learns the types.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param factory makes the handler
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(ReplyHandlerFactory<M, R> factory);

    /**
     * Makes an actor that answers, whose handler is made inside the actor. {@link #newActorFrom(HandlerFactory)} describes
     * when the handler is made, and how the compiler learns the types.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param factory makes the handler
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            Supplier<? extends ReplyHandler<M, R>> factory);

    /**
     * Makes a group of actors that are started again when they end. Members are added later. The group's own mailbox and
     * what follows its failures are not the builder's.
     *
     * @param policy who is started again when one of them has ended, and how often
     * @return the group
     */
    ActorGroup newGroup(GroupPolicy policy);

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
     * the code returns or throws; if its policy is to restart, it starts from the beginning after it has thrown.
     *
     * @param <M> type of the messages
     * @param body the code
     * @return the actor
     */
    <M> Actor<M, Void> newReceivingActor(ReceivingBody<M> body);
}
