package io.fibry.internal.cycles;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Waiting;

/** The edge of an actor that waits for the end of another one. */
public record EndEdge(Cell target) implements Waiting {
    @Override
    public boolean isOver() {
        return target.hasExited();
    }
}
