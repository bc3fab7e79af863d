package io.fibry.internal;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;

/** Parks the current thread until it is unparked or interrupted, or for no reason. */
final class Parking {
    private Parking() {
    }

    /** What was to run next on this thread would have to wait as well: it is started elsewhere, or left to others. */
    static void letGo() {
        if (Current.strand() instanceof Lane lane) {
            lane.letGo();
        }
    }

    /** On a pool of ours a spare thread takes the place of the parked one. Never a timed park. */
    static void park(Object blocker) {
        var strand = Current.strand();
        if (strand instanceof Hand hand) {
            hand.parks(blocker);
            return;
        }
        if (strand instanceof Lane lane) {
            lane.letGo();
        }
        if (!(Thread.currentThread() instanceof ForkJoinWorkerThread)) {
            LockSupport.park(blocker);
            return;
        }
        try {
            ForkJoinPool.managedBlock(new ForkJoinPool.ManagedBlocker() {
                private boolean parked;

                @Override
                public boolean block() {
                    LockSupport.park(blocker);
                    parked = true;
                    return true;
                }

                @Override
                public boolean isReleasable() {
                    return parked;
                }
            });
        } catch (InterruptedException e) {
            throw new AssertionError("our blocker does not throw it", e);
        }
    }
}
