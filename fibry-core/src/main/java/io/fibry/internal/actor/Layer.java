package io.fibry.internal.actor;

/**
 * A setting of the builder that the kernel does not know. A layer is around the handler, and so in the way of each
 * message, or gives the actor a {@link Feature}, or both. The list of all layers, with their order, is {@code Layers}
 * of the room {@code scope}. An actor has at most one layer of a class.
 */
public interface Layer {
    /** Returns the behavior with this layer around it; {@code inner} has all the layers inside this one. */
    default Behavior around(ActorSpec spec, Behavior inner) {
        return inner;
    }

    /** Gives an actor what this layer has beside the handler. Called by its maker, before any other thread knows the actor. */
    default void equip(Cell cell) {
    }

    /** Returns whether a turn may run it on top of another actor's handler. */
    default boolean mayRunOnTop() {
        return true;
    }

    /** Returns whether a caller's thread may run the actor, or end it while it has nothing to do. */
    default boolean mayRunOnCaller() {
        return true;
    }
}
