package io.fibry.internal;

import io.fibry.ActorGroup;
import io.fibry.CreationStrategy;
import io.fibry.GroupPolicy;
import io.fibry.keyed.KeyedActors;
import io.fibry.keyed.KeyedOptions;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Puts the features of the library together. */
final class Assembly implements Wiring {
    @Override
    public CreationStrategy defaultStrategy() {
        return Engine.defaultStrategy();
    }

    @Override
    public Supervision newSupervision() {
        return new SupervisionState();
    }

    @Override
    public @Nullable Recovery decide(Turn turn, Throwable failure, boolean atStart, boolean canGoOn) {
        return FailureDecision.run(turn, failure, atStart, canGoOn);
    }

    @Override
    public TimerSet newTimers(Cell cell) {
        return new ActorTimers(cell);
    }

    @Override
    public ActorGroup newGroup(Builder builder, GroupPolicy policy) {
        return new Group(builder, policy);
    }

    @Override
    public <K, M, R extends @Nullable Object> KeyedActors<K, M, R> newKeyed(ActorSpec spec,
            KeyedOptions options, Function<? super M, ? extends K> keyOf, Function<? super K, ?> factory) {
        return new Keyed<>(spec, options, keyOf, factory);
    }
}
