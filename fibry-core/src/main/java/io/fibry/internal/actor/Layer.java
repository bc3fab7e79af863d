package io.fibry.internal.actor;

/**
 * A layer around the handler of an actor: a setting of the builder that is in the way of each message. The list of all
 * layers, with their order, is {@code Layers} of the room {@code scope}. An actor has at most one layer of a class.
 */
public interface Layer {
    /** Returns the behavior with this layer around it; {@code inner} has all the layers inside this one. */
    Behavior around(ActorSpec spec, Behavior inner);

    /** Returns whether a turn may run it on top of another actor's handler. */
    default boolean mayRunOnTop() {
        return true;
    }
}
