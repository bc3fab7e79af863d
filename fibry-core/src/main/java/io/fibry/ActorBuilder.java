package io.fibry;

import io.fibry.function.Body;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReceivingReplyHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.keyed.KeyedBuilder;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Describes actors and makes them. Builders are immutable and thread-safe: each call returns another builder. One
 * builder may make many actors, but only one at a time if it has a name.
 *
 * <p>Scopes give builders. Programs do not implement this interface.
 *
 * <p>The compiler has to know the type of the messages. {@link #of} tells it, and so does the type of the variable, a
 * lambda with typed parameters, or a handler that is a class. Without any of them the messages are of type {@code
 * Object}: a handler that needs another type does not compile, and a handler that accepts any object makes an actor
 * that accepts any object.
 *
 * <pre>{@code
 * var first = builder.of(String.class).newActor(text -> write(text));
 * Actor<String, Void> second = builder.newActor(text -> write(text));
 * var third = builder.newActor((String text) -> write(text));
 * var fourth = builder.state(HashMap<String, Integer>::new).of(String.class)
 *         .newActor((counts, text) -> counts.merge(text, 1, Integer::sum));
 * }</pre>
 *
 * <p>All {@code new…} methods throw {@link IllegalStateException} if the scope is closed, and
 * {@link IllegalArgumentException} if the name is taken.
 */
public interface ActorBuilder {
    /**
     * Returns a builder with another strategy, which decides where the actors run.
     *
     * @param strategy the strategy
     * @return the new builder
     */
    ActorBuilder strategy(CreationStrategy strategy);

    /**
     * Returns a builder with another mailbox policy, which decides how many messages may wait.
     *
     * @param policy the policy; unbounded by default
     * @return the new builder
     */
    ActorBuilder mailbox(MailboxPolicy policy);

    /**
     * Returns a builder with another failure policy, which decides what follows when a handler throws.
     *
     * @param policy the policy; resume by default
     * @return the new builder
     */
    ActorBuilder onFailure(FailurePolicy policy);

    /**
     * Returns a builder that also has the given hook for the start. The hook runs inside the actor before its first
     * message: at once when the actor is made, after its handler or its state has been made, and again after each
     * restart. Hooks run in the order in which they were added.
     *
     * <p>If the hook throws, the start of the actor has failed. This is a failure of the actor, on which the policy
     * decides as it does on a {@linkplain #newActorFrom(ReplyHandler) factory} that throws:
     * <ul>
     * <li>{@linkplain FailurePolicy#restart restart}: the actor starts again after the pause, and the messages wait.
     * <li>{@linkplain FailurePolicy#resume() resume}: the next message starts the actor again. If this fails as well,
     *     that message fails with it. A body does not begin, and the actor stops.
     * <li>{@linkplain FailurePolicy#stop() stop} and {@linkplain FailurePolicy#escalate() escalate}: the actor stops,
     *     and the messages are undelivered.
     * </ul>
     * Each attempt begins with a new state, or a new handler of the factory; the one of the failed attempt is closed.
     * After {@code resume} the timers and children that the failed attempt has set and made are still there. An actor
     * that has gone on without a {@linkplain #abandonStuck stuck handler} also starts again, before its next message.
     *
     * <p>The actors of keyed actors start with their first message, which fails if the start fails. Groups,
     * shared mailboxes and workers cannot have such a hook; the method that makes them throws an {@link
     * IllegalStateException}.
     *
     * @param hook the hook
     * @return the new builder
     */
    ActorBuilder onStart(Body hook);

    /**
     * Returns a builder that also has the given hook for the start, as {@link #onStart(Body)} does. The hook gets the
     * actor's context, and may set timers, make children and watch other actors. The type of the messages has to be
     * that of the actors, which the compiler cannot check:
     *
     * <pre>{@code
     * var clock = builder.<Tick>onStart(context -> context.timers().fixedRate("tick", SECOND, new Tick()))
     *         .newActor((Tick tick) -> show());
     * }</pre>
     *
     * @param <M> type of the messages
     * @param hook the hook
     * @return the new builder
     */
    <M> ActorBuilder onStart(Handler<ActorContext<M, ?>> hook);

    /**
     * Returns a builder that also has the given exit hook. The hook runs inside the actor when it stops, exactly once,
     * after the last message.
     *
     * @param hook the hook
     * @return the new builder
     */
    ActorBuilder onExit(Body hook);

    /**
     * Returns a builder whose actors interrupt a handler if the answer that it works on is cancelled, or fails by its
     * time limit. If the handler of an ask takes another ask by {@link ReceivingContext#receive}, it works on both
     * until it receives again or ends.
     *
     * @return the new builder
     */
    ActorBuilder interruptOnCancel();

    /**
     * Returns a builder whose actors go on without a handler that does not end. A handler (or code given to the actor)
     * that has worked for longer than {@code limit} is interrupted. If it has not ended after a further {@code grace},
     * it is abandoned: its message has failed with a {@link HandlerAbandonedException}, the failure policy decides what
     * follows, and the next message is handled on another thread. A handler that a forced stop interrupts has the same
     * grace, and is abandoned after it.
     *
     * <p>The abandoned thread may run for ever, but it no longer acts as the actor. Whatever method of its {@link
     * ActorContext} it then calls throws a {@link HandlerAbandonedException}, and so does a wait for an answer that is
     * not there yet. The messages that it sends count as sent from outside. If a factory has made the handler or its
     * state, it makes a new one before the next message, whatever the policy; the abandoned thread closes the old one
     * when it has ended. Anything else that both handlers use, such as the fields that a lambda has captured, is then
     * used by two threads at a time.
     *
     * <p>The handlers run on threads of their own, for which the turns of the actor wait. These are virtual threads on
     * {@link CreationStrategy#fibers()}, and otherwise platform threads. This costs some microseconds for each message.
     * Factories, exit hooks and {@code close} run where they always do, and are not abandoned.
     *
     * <p>Some actors cannot be made so; the method that makes them throws an {@link IllegalStateException}. These are
     * actors on threads that do not belong to the library ({@link CreationStrategy#caller()}, {@link
     * CreationStrategy#of}, a strategy of the user), actors with {@link #runByCallers()}, receiving actors, bodies,
     * workers, groups, rate-limited actors and servers.
     *
     * @param limit how long a handler may work on one message; more than zero
     * @param grace how long the handler may take to end after the interrupt
     * @return the new builder
     */
    ActorBuilder abandonStuck(Duration limit, Duration grace);

    /**
     * Returns a builder whose actors handle each message inside the given interceptor, which may refuse the message, or
     * answer in the place of the handler. If there are several, the one that was added first is outermost; those of the
     * {@linkplain ScopeBuilder#around scope} are around those of the builder.
     *
     * <p>An interceptor is around each call of the handler for a message, and next to it: inside the hooks for the start,
     * and on the thread that runs the handler, also with {@link #abandonStuck}. A message that was put aside is
     * intercepted again when it is handled again. Code that is given to the actor is no message. The interceptors of keyed
     * actors and of workers are around the handler of each key and of each worker.
     *
     * <p>Receiving actors and bodies take their messages themselves, and cannot have an interceptor, nor can groups, shared
     * mailboxes and servers. The method that makes them throws an {@link IllegalStateException}. Actors that
     * the library makes for itself have none of the scope's interceptors.
     *
     * @param interceptor the interceptor, inside those that were added before
     * @return the new builder
     */
    ActorBuilder around(Interceptor interceptor);

    /**
     * Returns a builder without what the scope sets for the messages of its actors: the mailbox is unbounded, after a
     * failure the actor {@linkplain FailurePolicy#resume() goes on}, and there are no {@linkplain #around
     * interceptors}. The strategy and the carriers stay. This is for actors whose messages are not those of the
     * program, such as those of a library, and for receiving actors in a scope with interceptors. Call it first.
     *
     * @return the new builder
     */
    ActorBuilder withoutDefaults();

    /**
     * Returns a builder whose actors may be run by threads that wait for their answers: such a thread runs the handler
     * itself if the actor is idle or has not started yet. This is several times faster than to hand the message to
     * another thread and to wait. It is meant for handlers that only compute. A handler that blocks is exposed to
     * interrupts of the caller, and runs with the thread-locals and locks of the caller. A caller whose ask has a time
     * limit, or is made under one, runs the handler too: the ask fails in time, but the caller goes on when the handler
     * has ended. Actors on {@link CreationStrategy#threads()} are not affected.
     *
     * @return the new builder
     */
    ActorBuilder runByCallers();

    /**
     * Returns a builder whose actors do not share a stack with other actors. Without this method, an actor on {@link
     * CreationStrategy#fibers()} that waits for an answer may have the asked actor run on its own stack. The same holds
     * for an actor that sends to an actor on {@link CreationStrategy#caller()}. The actor on top then sees what belongs
     * to the stack and the thread below it: bound {@code ScopedValue}s, held locks and thread-locals. Whether this
     * happens depends on timing.
     *
     * <p>With this method, the actors to which such an actor sends neither see the values that its code has bound nor
     * enter the locks that its code holds, and the same holds the other way round. Each ask then costs a switch to
     * another thread and back. The actor does not get threads of its own: the next handler on the same thread may find
     * what a handler leaves in a thread-local.
     *
     * <p>An actor whose handlers run on the stack of others by its own choice cannot be made so, and the method that
     * makes it throws an {@link IllegalStateException}. This is an actor on {@link CreationStrategy#caller()}, or one
     * with {@link #runByCallers()}. If an executor of {@link CreationStrategy#of} runs its tasks on the thread that
     * submits them, the promise holds between actors, but the handlers still run on the stack of senders that are not
     * actors.
     *
     * @return the new builder
     */
    ActorBuilder ownStack();

    /**
     * Returns a builder whose actors are stopped in the given phase when their scope is closed. The actors of a lower
     * phase are stopped, and waited for, before those of a higher phase. The actors of one phase are stopped at the
     * same time. Actors of a phase below zero bring in work; they are stopped before the others are drained. Servers
     * are in phase -1 unless another phase is given.
     *
     * @param phase the phase; zero by default
     * @return the new builder
     */
    ActorBuilder stopPhase(int phase);

    /**
     * Returns a builder whose actors stop when they have had nothing to do for some time. Their exit hooks run as
     * usual. A message that the actor accepts before that is handled, and the time starts again. A message that comes
     * after the stop is refused, as after any stop. A message of the actor's own timers counts as something to do. A
     * receiving actor cannot be built in this way.
     *
     * @param quiet for how long the actor may have nothing to do; more than zero
     * @return the new builder
     */
    ActorBuilder stopWhenIdle(Duration quiet);

    /**
     * Returns a builder whose actors keep the messages on which they fail: the {@link io.fibry.event.Failed} event has
     * the message as {@link io.fibry.event.Failed#keptMessage() keptMessage()}, so that a listener can store it, or
     * send it again. The texts of the event and of the log do not show it. If code that was given to the actor fails,
     * {@code keptMessage} is the object that was given.
     *
     * <p>A receiving actor cannot be built in this way, since it takes messages itself.
     *
     * @return the new builder
     */
    ActorBuilder keepFailedMessages();

    /**
     * Returns a builder whose actors take urgent messages, which {@link Actor#sendUrgent} sends. They overtake what
     * waits in the mailbox, and keep their own order among each other. No more than the given number may wait at a
     * time. They take no place of a bounded mailbox; {@link Actor#mailboxSize()} includes them.
     *
     * <p>A receiving actor, workers, a group and a server cannot be built in this way.
     *
     * @param capacity how many urgent messages may wait; at least one
     * @return the new builder
     */
    ActorBuilder urgent(int capacity);

    /**
     * Returns a builder whose handlers may put messages aside by {@link ActorContext#stash()}, up to the given number
     * at a time, and take them back by {@link ActorContext#unstashAll()}. The mailbox does not count the messages that
     * are put aside: {@link Actor#mailboxSize()} does not include them, and a bounded mailbox holds its capacity beside
     * them. A message that counts for a {@linkplain ScopeLimits limit} of the scope counts as waiting until it has been
     * handled.
     *
     * <p>A receiving actor, workers, a group and a server cannot be built in this way.
     *
     * @param capacity how many messages may be put aside; at least one
     * @return the new builder
     */
    ActorBuilder stash(int capacity);

    /**
     * Returns a builder whose actors each have a state of their own. The state is made inside the actor, before the
     * first message. If this fails, the message that was to be handled fails with it, and the next message tries again.
     * After a restart a new state is made before the next message. A state that is {@link AutoCloseable} is closed when
     * the actor is restarted, and after the exit hooks when it stops. So no other actor should use the state.
     *
     * @param <S> type of the state
     * @param initial makes the state
     * @return the new builder
     */
    <S> StatefulActorBuilder<S> state(Supplier<? extends S> initial);

    /**
     * Returns a builder that tells the compiler the type of the messages, so that the handler is a lambda without types. It is
     * the last step, after the settings. The compiler alone uses the class: messages are not checked when they are sent. For
     * a generic type, such as {@code List<String>}, declare the type of the variable instead.
     *
     * @param <M> type of the messages
     * @param messages the class or interface of the messages
     * @return the new builder
     */
    <M> TypedActorBuilder<M> of(Class<M> messages);

    /**
     * Returns a builder that makes one actor for each key, with the settings of this one. The actor of a key is made when a
     * message with this key comes. It stops when it has had no message for five minutes, or {@linkplain KeyedBuilder#idle
     * another time}. This is the last step, after the settings.
     *
     * <pre>{@code
     * var accounts = scope.named("accounts").keyed(Booking::account).newActorsFrom(account -> {
     *     var ledger = new Ledger(account);
     *     return (context, booking) -> ledger.add(booking);
     * });
     * accounts.sendMessage(new Booking("4711", 100));
     * }</pre>
     *
     * <p>A method reference, or a lambda with a type, tells the compiler the type of the messages.
     *
     * @param <K> type of the keys
     * @param <M> type of the messages
     * @param keyOf returns the key of a message; the sender calls it
     * @return the builder of the keyed actors
     */
    <K, M> KeyedBuilder<K, M> keyed(Function<? super M, ? extends K> keyOf);

    /**
     * Makes an actor that gives no answers.
     *
     * @param <M> type of the messages
     * @param handler what it does with a message
     * @return the actor
     */
    <M> Actor<M, Void> newActor(Handler<M> handler);

    /**
     * Makes an actor that gives no answers and whose handler gets the actor's context.
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
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturn(ReplyHandler<M, R> handler);

    /**
     * Makes an actor that answers and whose handler gets the actor's context.
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
     * resume}, the factory is called again for the next message. Timers that the factory sets and children that it makes
     * end when the actor is restarted, and the factory then sets and makes them again. A handler that is {@link
     * AutoCloseable} is closed when the actor stops or is restarted.
     *
     * <p>The compiler cannot infer the type of the messages from a factory such as {@code context -> message -> …}. If
     * the result is assigned to a {@code var}, the actor is an {@code Actor<Object, Void>}, without a warning. {@link
     * #of} or the type of the variable gives the type:
     *
     * <pre>{@code
     * var first = builder.of(String.class).newActorFrom(context -> text -> write(text));
     * Actor<String, Void> second = builder.newActorFrom(context -> text -> write(text));
     * }</pre>
     *
     * @param <M> type of the messages
     * @param factory makes the handler
     * @return the actor
     */
    <M> Actor<M, Void> newActorFrom(ReplyHandler<ActorContext<M, Void>, Handler<M>> factory);

    /**
     * Makes an actor that gives no answers, whose handler is made inside the actor.
     * {@link #newActorFrom(ReplyHandler)} describes when the handler is made.
     *
     * @param <M> type of the messages
     * @param factory makes the handler
     * @return the actor
     */
    <M> Actor<M, Void> newActorFrom(Supplier<? extends Handler<M>> factory);

    /**
     * Makes an actor that answers, whose handler is made inside the actor. {@link #newActorFrom(ReplyHandler)}
     * describes when the handler is made, and how the compiler learns the types.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param factory makes the handler
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            ReplyHandler<ActorContext<M, R>, ReplyHandler<M, R>> factory);

    /**
     * Makes an actor that answers, whose handler is made inside the actor. {@link #newActorFrom(ReplyHandler)}
     * describes when the handler is made, and how the compiler learns the types.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param factory makes the handler
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newActorWithReturnFrom(
            Supplier<? extends ReplyHandler<M, R>> factory);

    /**
     * Makes a group of actors that are started again when they end. The members are added later. The mailbox and the
     * failure policy of the group itself are not those of this builder.
     *
     * @param policy which members are started again when one of them has ended, and how often
     * @return the group
     */
    ActorGroup newGroup(GroupPolicy policy);

    /**
     * Makes an actor whose handler may take further messages itself, in an order of its choice. While no handler runs,
     * the actor is as cheap as any other.
     *
     * @param <M> type of the messages
     * @param handler what it does with a message
     * @return the actor
     */
    <M> Actor<M, Void> newReceivingActor(ReceivingHandler<M> handler);

    /**
     * Makes an actor whose whole life is one piece of straight-line code. The code starts at once, and the actor stops
     * when the code returns or throws. If the failure policy is to restart, code that has thrown starts from its
     * beginning.
     *
     * @param <M> type of the messages
     * @param body the code
     * @return the actor
     */
    <M> Actor<M, Void> newReceivingActor(Handler<ReceivingContext<M>> body);

    /**
     * Makes an actor that answers and whose handler may take further messages itself, in an order of its choice, and
     * reply to them. What the handler returns is the answer to the message that it was called with.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param handler what it does with a message
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(
            ReceivingReplyHandler<M, R> handler);

    /**
     * Makes an actor that answers and whose whole life is one piece of straight-line code. The code starts at once, and
     * the actor stops when the code returns or throws. If the failure policy is to restart, code that has thrown starts
     * from its beginning.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param body the code
     * @return the actor
     */
    <M, R extends @Nullable Object> Actor<M, R> newReceivingActorWithReturn(
            Handler<ReceivingReplyContext<M, R>> body);
}
