package io.fibry.measure;

import io.fibry.event.Undelivered.Cause;

/**
 * A group of actors that are measured together. Its numbers only grow, except {@code actors} and {@code depth}. Thread-safe.
 */
public interface MeasuredGroup {
    /**
     * Returns the name of the scope to which the listener was given.
     *
     * @return the name of the scope
     */
    String scope();

    /**
     * Returns the name of the group.
     *
     * @return the name
     */
    String name();

    /**
     * Returns how many of its actors were alive when they were {@linkplain MeasuredScope#count counted} last.
     *
     * @return the number; zero before the first count
     */
    long actors();

    /**
     * Returns how many messages waited for its actors when they were {@linkplain MeasuredScope#count counted} last.
     *
     * @return the number; zero before the first count
     */
    long depth();

    /**
     * Returns how many messages for its actors were lost by that cause. A message that expired, or was taken back by
     * its sender, is not lost. A message for a name that no actor has is in no group.
     *
     * @param cause why
     * @return the count
     */
    long lost(Cause cause);

    /**
     * Returns how often its actors were restarted.
     *
     * @return the count
     */
    long restarts();

    /**
     * Returns how many asks of its actors got no answer in time.
     *
     * @return the count
     */
    long askTimeouts();
}
