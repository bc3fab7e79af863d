package io.fibry.internal.actor;

/**
 * What a feature puts around the behaviour of an actor that was built with it.
 */
public interface BehaviorWrapper {
    /** Throws if actors of that kind cannot have the feature. */
    void check(ActorSpec spec);

    /** Returns the behaviour that the actor gets. */
    Behavior wrap(ActorSpec spec, Behavior inner);
}
