package io.fibry.internal.actor;

/** The edge of an actor on whose stack another actor runs: it goes on when the other one has ended its turn. */
public record NestedEdge(Cell target) implements Waiting {
    @Override
    public boolean isOver() {
        return false;
    }
}
