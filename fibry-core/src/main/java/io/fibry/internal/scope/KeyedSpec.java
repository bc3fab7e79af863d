package io.fibry.internal.scope;

import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.ContextStateHandler;
import io.fibry.function.ContextStateReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.clock.Durations;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedBuilder;
import io.fibry.keyed.StatefulKeyedActors;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The specification of keyed actors, and their builder.
 *
 * @param actors the builder's specification, from which that of the actors follows
 * @param keyOf returns the key of a message
 * @param idleNanos for how long an actor may have no message
 * @param most how many actors there may be
 * @param makesRoom whether an idle actor stops for another one at this limit
 * @param isMovable whether the actor of a key may begin again on another node
 */
public record KeyedSpec<K, M>(ActorSpec actors, Function<? super M, ? extends K> keyOf, long idleNanos,
        int most,
        boolean makesRoom, boolean isMovable) implements KeyedBuilder<K, M> {
    private static final Duration IDLE = Duration.ofMinutes(5);

    KeyedSpec(ActorSpec actors, Function<? super M, ? extends K> keyOf) {
        this(actors, Objects.requireNonNull(keyOf, "keyOf"), IDLE.toNanos(), Integer.MAX_VALUE, false, true);
    }

    @Override
    public KeyedBuilder<K, M> idle(Duration time) {
        return new KeyedSpec<>(actors, keyOf, Durations.positiveNanos(time, "time"), most, makesRoom,
                isMovable);
    }

    @Override
    public KeyedBuilder<K, M> atMost(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("at least 1 key has to be allowed to have an actor: " + limit);
        }
        return new KeyedSpec<>(actors, keyOf, idleNanos, limit, makesRoom, isMovable);
    }

    @Override
    public KeyedBuilder<K, M> makeRoom() {
        return new KeyedSpec<>(actors, keyOf, idleNanos, most, true, isMovable);
    }

    @Override
    public KeyedBuilder<K, M> immovable() {
        return new KeyedSpec<>(actors, keyOf, idleNanos, most, makesRoom, false);
    }

    @Override
    public KeyedActors<K, M, Void> newActorsFrom(Function<? super K, ? extends ContextHandler<M>> factory) {
        return make(KeyedBehavior.of(factory));
    }

    @Override
    public <R extends @Nullable Object> KeyedActors<K, M, R> newActorsWithReturnFrom(
            Function<? super K, ? extends ContextReplyHandler<M, R>> factory) {
        return make(KeyedBehavior.of(factory));
    }

    @Override
    public <S> StatefulKeyedActors<K, S, M, Void> newActors(Function<? super K, ? extends S> state,
            StateHandler<S, M> handler) {
        return make(state, StatefulBehavior.telling(State.ofNobody(), handler));
    }

    @Override
    public <S> StatefulKeyedActors<K, S, M, Void> newActors(Function<? super K, ? extends S> state,
            ContextStateHandler<S, M> handler) {
        return make(state, StatefulBehavior.telling(State.ofNobody(), handler));
    }

    @Override
    public <S, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newActorsWithReturn(
            Function<? super K, ? extends S> state, StateReplyHandler<S, M, R> handler) {
        return make(state, StatefulBehavior.replying(State.ofNobody(), handler));
    }

    @Override
    public <S, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newActorsWithReturn(
            Function<? super K, ? extends S> state, ContextStateReplyHandler<S, M, R> handler) {
        return make(state, StatefulBehavior.replying(State.ofNobody(), handler));
    }

    private <S, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> make(
            Function<? super K, ? extends S> state, StatefulBehavior<S> pattern) {
        return make(new StatesOfKeys<K, S>(state, pattern));
    }

    private <S, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> make(KeyBehaviors<K> behaviors) {
        return Scope.of(actors).wiring().newKeyed(this, behaviors);
    }

    @Override
    public String toString() {
        return "KeyedBuilder[" + actors + "]";
    }
}
