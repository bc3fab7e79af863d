package io.fibry.internal.run;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Parks the current thread until it is unparked or interrupted, or for no reason. */
public final class Parking {
    private Parking() {
    }

    /** What was to run next on this thread would have to wait as well: it is started elsewhere, or left to others. */
    public static void letGo() {
        if (Runner.current() instanceof Lane lane) {
            lane.letGo();
        }
    }

    /** On a pool of ours a spare thread takes the place of the parked one. Never a timed park. */
    public static void park(Object blocker) {
        var strand = Runner.current();
        if (strand instanceof Lane lane) {
            lane.letGo();
        }
        var before = beginWait();
        try {
            if (strand == null) {
                parkHere(blocker);
            } else {
                strand.park(blocker);
            }
        } finally {
            endWait(before);
        }
    }

    /**
     * Gives the calling thread, which is about to park, the name of the actor that it runs, for thread dumps. The thread of
     * a lane keeps the name until the turn ends. A thread whose owner waits for the actor keeps its own.
     *
     * @return the name to give back by {@link #endWait}; null if there is none
     */
    public static @Nullable String beginWait() {
        var strand = Runner.current();
        var job = strand == null || strand.isLent ? null : strand.job;
        if (job == null) {
            return null;
        }
        try {
            if (strand instanceof Lane lane) {
                lane.nameForWait();
                return null;
            }
            var thread = Thread.currentThread();
            var before = thread.getName();
            var name = NamedRunner.threadName(job);
            if (before.equals(name)) {
                return null;
            }
            thread.setName(name);
            return before;
        } catch (SecurityException | VirtualMachineError e) {
            return null; // no permission, memory or stack for a name: the thread can wait without
        }
    }

    /** Gives the calling thread the name back that it had before it waited. */
    public static void endWait(@Nullable String before) {
        if (before != null) {
            Thread.currentThread().setName(before);
        }
    }

    static void parkHere(Object blocker) {
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
