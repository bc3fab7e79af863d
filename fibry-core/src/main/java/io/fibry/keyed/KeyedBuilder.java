package io.fibry.keyed;

import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes keyed actors, whose types of keys and messages are known, so that their handlers are lambdas without types. {@link
 * io.fibry.ActorBuilder#keyed} returns it, after the settings of the actors. Builders are immutable and thread-safe.
 *
 * <pre>{@code
 * var accounts = scope.named("accounts").keyed(Booking::account).idle(Duration.ofMinutes(30))
 *         .newActors(account -> new Ledger(account), (ledger, booking) -> ledger.add(booking));
 * accounts.sendMessage(new Booking("4711", 100));
 * var balance = accounts.execFutureWithState("4711", ledger -> ledger.balance());
 * }</pre>
 *
 * <p>All {@code new…} methods throw {@link IllegalStateException} if the scope is closed. The actors end with the scope.
 *
 * @param <K> type of the keys
 * @param <M> type of the messages
 */
public interface KeyedBuilder<K, M> {
    /**
     * Returns a builder whose actors stop when they have had no message for this time, instead of five minutes.
     *
     * @param time the time, more than zero
     * @return the new builder
     */
    KeyedBuilder<K, M> idle(Duration time);

    /**
     * Returns a builder with a limit of actors. A message that needs one more actor is refused. An actor counts until it has
     * ended and its state is closed.
     *
     * @param actors how many actors there may be at the same time; at least one
     * @return the new builder
     */
    KeyedBuilder<K, M> atMost(int actors);

    /**
     * Returns a builder that stops an idle actor early if one more would exceed the {@linkplain #atMost limit}. If none
     * is found soon, the message is refused. The new actor begins when the other one has ended and its state is closed;
     * the sender does not wait for that.
     *
     * @return the new builder
     */
    KeyedBuilder<K, M> makeRoom();

    /**
     * Returns a builder of actors that must stay on this node, since they use something that other nodes do not have. A
     * cluster refuses to share them.
     *
     * @return the new builder
     */
    KeyedBuilder<K, M> immovable();

    /**
     * Makes actors that give no answers, each with a handler of its own.
     *
     * @param factory makes the handler of a key, inside the new actor; a handler that is {@link AutoCloseable} is closed
     *     when the actor stops
     * @return the keyed actors
     */
    KeyedActors<K, M, Void> newActorsFrom(Function<? super K, ? extends ContextHandler<M>> factory);

    /**
     * Makes actors that answer, each with a handler of its own. The compiler does not infer the type of the answers from a
     * lambda in a lambda: declare the type of the variable, or give a type argument, as in {@code
     * .<Integer>newActorsWithReturnFrom(key -> (context, text) -> text.length())}.
     *
     * @param <R> type of the answers
     * @param factory makes the handler of a key, as for {@link #newActorsFrom}
     * @return the keyed actors
     */
    <R extends @Nullable Object> KeyedActors<K, M, R> newActorsWithReturnFrom(
            Function<? super K, ? extends ContextReplyHandler<M, R>> factory);

    /**
     * Makes actors that give no answers, each with a state of its own. When an actor stops, its state is gone.
     *
     * @param <S> type of the states
     * @param state makes the state of a key, inside the new actor, before its first message and again after a restart; a
     *     state that is {@link AutoCloseable} is closed when the actor is restarted and when it stops
     * @param handler handles a message
     * @return the keyed actors
     */
    <S> StatefulKeyedActors<K, S, M, Void> newActors(Function<? super K, ? extends S> state,
            StateHandler<S, M> handler);

    /**
     * Makes actors that give no answers, each with a state of its own, whose handler gets the actor's context.
     *
     * @param <S> type of the states
     * @param state makes the state of a key, as for {@link #newActors(Function, StateHandler)}
     * @param handler handles a message
     * @return the keyed actors
     */
    <S> StatefulKeyedActors<K, S, M, Void> newActors(Function<? super K, ? extends S> state,
            ContextStateHandler<S, M> handler);

    /**
     * Makes actors that answer, each with a state of its own.
     *
     * @param <S> type of the states
     * @param <R> type of the answers
     * @param state makes the state of a key, as for {@link #newActors(Function, StateHandler)}
     * @param handler handles a message
     * @return the keyed actors
     */
    <S, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newActorsWithReturn(
            Function<? super K, ? extends S> state, StateReplyHandler<S, M, R> handler);

    /**
     * Makes actors that answer, each with a state of its own, whose handler gets the actor's context. The compiler learns the
     * type of the answers as for {@link #newActorsWithReturnFrom}.
     *
     * @param <S> type of the states
     * @param <R> type of the answers
     * @param state makes the state of a key, as for {@link #newActors(Function, StateHandler)}
     * @param handler handles a message
     * @return the keyed actors
     */
    <S, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newActorsWithReturn(
            Function<? super K, ? extends S> state, ContextStateReplyHandler<S, M, R> handler);
}
