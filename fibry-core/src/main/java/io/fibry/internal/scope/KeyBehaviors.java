package io.fibry.internal.scope;

import io.fibry.internal.actor.Behavior;

/**
 * Makes the behaviors of keyed actors.
 *
 * @param <K> type of the keys
 */
public interface KeyBehaviors<K> {
    /**
     * Returns a behavior for a new actor.
     *
     * @param key the key of the actor
     * @return the behavior
     */
    Behavior of(K key);
}
