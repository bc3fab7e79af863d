package io.fibry.internal.actor;

/** Why an actor goes no further: it waits for another one. The edges of the graph of waiting actors. */
public interface Waiting {
    /** The actor waited for. */
    Cell target();

    /** Whether the wait is as good as over, so that this is no edge any more. */
    boolean isOver();
}
