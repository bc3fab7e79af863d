package io.fibry.internal.actor;

/**
 * A layer around the handler of an actor: a setting of the builder that is in the way of each message. The list of all
 * layers, with their order, is {@code Layers} of the room {@code scope}. An actor has at most one layer of a class.
 */
public interface Layer {
    /** Returns the method of the builder that sets it. */
    String setting();

    /** Throws if actors of that kind cannot have the layer. */
    default void check(ActorSpec spec) {
    }

    /** Returns the behavior with this layer around it; {@code inner} has all the layers inside this one. */
    Behavior around(ActorSpec spec, Behavior inner);

    /** Returns whether a turn may run it on top of another actor's handler. */
    default boolean mayRunOnTop() {
        return true;
    }

    /** Returns whether the builder has nothing of it but what the scope gives to all its actors. */
    default boolean isOfScope() {
        return false;
    }
}
