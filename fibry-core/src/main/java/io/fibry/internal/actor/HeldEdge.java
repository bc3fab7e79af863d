package io.fibry.internal.actor;

/** The edge of an actor that is held: it goes on when the code of the holding has run. */
record HeldEdge(Holding<?> holding) implements Waiting {
    @Override
    public Cell target() {
        return holding.awaited();
    }

    @Override
    public boolean isOver() {
        return holding.isOver();
    }
}
