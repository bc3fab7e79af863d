package io.fibry.internal.run;

import io.fibry.ActorExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that runs the jobs of one owner. The thread starts with the first job.
 *
 * <p>An owner has one job at a time, so one slot is enough. The thread takes the content of the slot before it parks.
 * The thread that fills the slot unparks it after that; an unpark that comes first makes the park return at once. So no
 * job is missed.
 */
public final class OwnThread implements ActorExecutor {
    /**
     * Written by the thread that wakes the actor, by CAS; taken by its thread. An actor has one turn, so one
     * slot is enough.
     */
    private final AtomicReference<@Nullable Runnable> slot = new AtomicReference<>();
    private final Thread thread;
    /** Whether the thread was started. It is not volatile, since the jobs of an owner come one after another. */
    private boolean started;
    /** Set by the terminator before it unparks; the thread reads it after the slot and before it parks. */
    private volatile boolean closed;

    /** Creates the executor of an owner with this name. */
    OwnThread(String name) {
        this(work -> unstarted(name, work));
    }

    /** Creates an executor with a thread that this factory makes. */
    OwnThread(ThreadFactory factory) {
        thread = factory.newThread(new Work(this));
    }

    private record Work(OwnThread owner) implements Runnable {
        @Override
        public void run() {
            owner.work();
        }
    }

    /** Returns a platform thread that has not been started. */
    public static Thread unstarted(String name, Runnable task) {
        return Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-" + name)
                .unstarted(task);
    }

    @Override
    public void execute(Runnable job) {
        if (!slot.compareAndSet(null, job)) {
            throw new IllegalStateException(
                    thread.getName() + " was given a turn before it had run the last one");
        }
        if (started) {
            LockSupport.unpark(thread);
        } else {
            start();
        }
    }

    /** Starts the thread. If no thread can be started, the job is refused, and the next job tries again. */
    private void start() {
        started = true; // before the start: the thread may finish this job and get the next one before this method returns
        var running = false;
        try {
            thread.start();
            running = true;
        } finally {
            if (!running) {
                started = false;
                slot.set(null);
            }
        }
    }

    private void work() {
        while (true) {
            var job = slot.getAndSet(null);
            if (job != null) {
                job.run();
            } else if (closed) {
                return;
            } else {
                LockSupport.park(this);
            }
        }
    }

    @Override
    public void actorStopped() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
