package io.fibry.internal.run;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Parks the calling thread until it is unparked or interrupted, or for no reason. */
public final class Parking {
    private Parking() {
    }

    /**
     * Hands the jobs that were to run next on the calling thread over to others, if the thread is a lane: they would
     * have to wait as well.
     */
    public static void letGo() {
        if (Runner.CURRENT.get() instanceof Lane lane) {
            lane.letGo();
        }
    }

    /**
     * Parks the calling thread. In a pool of the library, a spare thread takes its place. The park has no time limit.
     */
    public static void park(Object blocker) {
        var runner = Runner.CURRENT.get();
        if (runner == null) {
            parkHere(blocker);
            return;
        }
        if (runner instanceof Lane lane) {
            lane.letGo();
        }
        var before = beginWait();
        try {
            runner.park(blocker);
        } finally {
            endWait(before);
        }
    }

    /** Tells whether a thread is parked, or waits otherwise, for instance for a lock. */
    static boolean isParked(Thread thread) {
        var state = thread.getState();
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING
                || state == Thread.State.BLOCKED;
    }

    /**
     * Tells whether the calling thread may park with a time limit of its own: a platform thread that runs no job of the
     * library. A virtual thread must not (JDK-8369227), and a thread of a pool needs a spare thread while it waits.
     */
    static boolean mayBeTimed() {
        var thread = Thread.currentThread();
        return Runner.CURRENT.get() == null && !thread.isVirtual()
                && !(thread instanceof ForkJoinWorkerThread);
    }

    /**
     * Gives the calling thread, which is about to park, the name of the owner whose job it runs, for thread dumps. The
     * thread of a lane keeps the name until the job ends. A lent thread keeps its own name.
     *
     * @return the name to pass to {@link #endWait}; null if there is none
     */
    public static @Nullable String beginWait() {
        var runner = Runner.CURRENT.get();
        var job = runner == null || runner.isLent ? null : runner.job;
        if (job == null) {
            return null;
        }
        try {
            if (runner instanceof Lane lane) {
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
            return null; // no permission, memory or stack for a name: the thread waits without
        }
    }

    /** Gives the calling thread the name back that it had before the wait. */
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
