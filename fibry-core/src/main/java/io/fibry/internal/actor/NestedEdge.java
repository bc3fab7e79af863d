package io.fibry.internal.actor;

/** The edge of an actor on whose stack another actor runs: it can go on only after that one. */
public record NestedEdge(Cell target) implements Waiting {
    @Override
    public boolean isOver() {
        return false;
    }
}
