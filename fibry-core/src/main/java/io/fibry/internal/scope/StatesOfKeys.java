package io.fibry.internal.scope;

import io.fibry.internal.actor.Behavior;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes the behaviors of keyed actors that have a state.
 *
 * @param initial makes the state of a key
 * @param pattern a behavior with the handler; the actors have others with the same handler
 */
record StatesOfKeys<K, S>(Function<? super K, ? extends S> initial,
        StatefulBehavior<S> pattern) implements KeyBehaviors<K> {
    StatesOfKeys {
        Objects.requireNonNull(initial, "state");
    }

    private record Initial<K, S>(Function<? super K, ? extends S> initial, K key) implements Supplier<S> {
        @Override
        public S get() {
            return initial.apply(key);
        }
    }

    @Override
    public Behavior of(K key) {
        return pattern.with(new State<S>(new Initial<>(initial, key)));
    }
}
