package io.fibry.work;

import io.fibry.ActorSystem;

/** A request for permits, for which a thread may wait. */
final class PermitWait {
    private final LiveSemaphore target;
    private final int count;
    private final boolean hasLimit;
    private final String asker;
    /** More than that of each request before it in the queue; zero while it is in no queue. Guarded by the lock of the waits. */
    private long place;
    private volatile boolean isOver;
    private volatile boolean isGivenUp;

    PermitWait(LiveSemaphore target, int count, boolean hasLimit) {
        this.target = target;
        this.count = count;
        this.hasLimit = hasLimit;
        asker = ActorSystem.currentActor().map(actor -> "actor '" + actor + "'")
                .orElseGet(() -> "thread '" + Thread.currentThread().getName() + "'");
    }

    LiveSemaphore target() {
        return target;
    }

    int count() {
        return count;
    }

    boolean isOver() {
        return isOver;
    }

    /** Returns whether the thread waits with a limit: it goes on in any case, and may then give back what it holds. */
    boolean hasLimit() {
        return hasLimit;
    }

    /** The request is in the queue, at a place. */
    void setPlace(long place) {
        this.place = place;
    }

    long place() {
        return place;
    }

    boolean isQueued() {
        return place != 0;
    }

    /** The request has got its permits, or has failed. */
    void end() {
        isOver = true;
    }

    boolean isGivenUp() {
        return isGivenUp;
    }

    /**
     * The thread goes on without permits. The actor may be about to give it some, and takes them back then; the thread does not
     * hold them meanwhile.
     */
    void giveUp() {
        isGivenUp = true;
    }

    @Override
    public String toString() {
        return asker + " waits for " + count + " of '" + target.name() + "'";
    }
}
