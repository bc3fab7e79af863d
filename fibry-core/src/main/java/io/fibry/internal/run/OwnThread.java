package io.fibry.internal.run;

import io.fibry.ActorExecutor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that runs the jobs of one owner.
 *
 * <p>An owner has one job at a time, so one slot is enough. The thread takes the content of the slot before it parks.
 * The thread that fills the slot unparks it after that; an unpark that comes first makes the park return at once. So no
 * job is missed.
 */
public final class OwnThread implements ActorExecutor {
    private final AtomicReference<@Nullable Runnable> slot = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean closed;

    private OwnThread(String name) {
        thread = unstarted(name, new Work(this));
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

    static OwnThread start(String name) {
        var own = new OwnThread(name);
        own.thread.start();
        return own;
    }

    @Override
    public void execute(Runnable job) {
        if (!slot.compareAndSet(null, job)) {
            throw new IllegalStateException(
                    thread.getName() + " was given a turn before it had run the last one");
        }
        LockSupport.unpark(thread);
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
