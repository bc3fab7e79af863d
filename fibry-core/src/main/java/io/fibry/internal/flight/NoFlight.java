package io.fibry.internal.flight;

import io.fibry.event.ActorEvent;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import org.jspecify.annotations.Nullable;

/** Records nothing, since there is no Java Flight Recorder. */
final class NoFlight implements Flight {
    @Override
    public @Nullable Feature observer(Cell cell) {
        return null;
    }

    @Override
    public boolean mayRecord() {
        return false;
    }

    @Override
    public void event(ActorEvent event, String scope, @Nullable Class<?> handler) {
    }

    @Override
    public void askCycle(String actor, String scope, Class<?> handler, String cycle) {
    }

    @Override
    public void askTimedOut(String actor, String scope, @Nullable Class<?> handler, Class<?> message,
            long limitNanos) {
    }
}
