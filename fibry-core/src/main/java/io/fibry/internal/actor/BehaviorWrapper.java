package io.fibry.internal.actor;

/**
 * What a feature puts around the behavior of an actor that was built with it.
 */
public interface BehaviorWrapper {
    /** Throws if actors of that kind cannot have the feature. */
    void check(ActorSpec spec);

    /** Returns the behavior that the actor gets. */
    Behavior wrap(ActorSpec spec, Behavior inner);
}
