package io.fibry.internal.cycles;

/**
 * What stands behind an actor whose answers come from outside of this process. The actor defers its replies, so a wait
 * for one of them is no edge of the {@link WaitGraph}; this interface tells of it instead.
 */
public interface RemoteWaits {
    /**
     * An actor has begun to wait for an answer from outside, or it waits for one, and another actor has begun to wait
     * for it. Called by any thread that begins a wait; it must neither wait nor throw.
     *
     * @param wait the wait
     */
    void waits(RemoteWait wait);
}
