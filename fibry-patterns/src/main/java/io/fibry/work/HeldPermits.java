package io.fibry.work;

import io.fibry.Actor;

/**
 * Permits of an {@link ActorSemaphore} that are held until they are released. A holder uses them in a
 * {@code try}-with-resources statement:
 *
 * <pre>{@code
 * try (var held = printers.acquire(2)) {
 *     print();
 * }
 * }</pre>
 *
 * <p>All methods are thread-safe, and any thread may release the permits. What a thread does before it releases permits
 * happens-before what another thread does after it has got them. Programs do not implement this interface.
 */
public interface HeldPermits extends AutoCloseable {
    /**
     * Returns how many permits these are.
     *
     * @return the number
     */
    int count();

    /**
     * Tells whether the permits are held. A holder whose permits have a lease may look at this before it changes something.
     *
     * @return false if they were released, or their lease is over
     */
    boolean isHeld();

    /**
     * Gives the permits back.
     *
     * @throws IllegalStateException if they are not held any more: they were released before, or their lease is over
     */
    void release();

    /** Gives the permits back, if they are still held. */
    @Override
    void close();

    /**
     * Lets the lease begin again. If the permits have no lease, this method has no effect.
     *
     * @return false if the permits are not held any more
     */
    boolean renew();

    /**
     * Hands the permits over to an actor: they are released when that actor has stopped, unless they were before. The thread that
     * has acquired them is not their holder any more and may wait for other permits without being refused.
     *
     * @param holder the actor
     * @return these permits
     */
    HeldPermits boundTo(Actor<?, ?> holder);
}
