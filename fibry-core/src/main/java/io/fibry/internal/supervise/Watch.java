package io.fibry.internal.supervise;

import io.fibry.event.Stopped;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Supervision.Watcher;
import java.util.function.Function;

/**
 * One actor's watch over another one.
 *
 * @param by the actor that watches
 * @param over the actor that is watched
 * @param notice makes the message for the watcher
 */
record Watch(Cell by, Cell over, Function<Stopped, Object> notice) implements Watcher {
    @Override
    public void hear(Cell ended, Stopped how) {
        by.sendControlAway(new NoticeNode(this, how));
    }

    /** Returns whether the watch was neither ended nor replaced. Called by the watcher's turn. */
    boolean isCurrent() {
        return SupervisionState.of(by).watches(this);
    }

    // A watch is equal to itself only.

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
