package io.fibry.internal.supervise;

import io.fibry.event.Stopped;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Watcher;
import java.util.function.Function;

/**
 * One actor's watch over another one.
 *
 * @param by who watches
 * @param over who is watched
 * @param notice makes the message that the watcher gets
 */
record Watch(Cell by, Cell over, Function<Stopped, Object> notice) implements Watcher {
    @Override
    public void hear(Cell ended, Stopped how) {
        by.sendControlAway(new NoticeNode(this, how));
    }

    /** Whether it was neither taken back nor replaced; on the watcher's turn. */
    boolean isCurrent() {
        return SupervisionState.of(by).watches(this);
    }

    // Each watch is another one.

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
