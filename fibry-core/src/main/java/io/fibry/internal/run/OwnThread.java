package io.fibry.internal.run;

import io.fibry.ActorExecutor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that runs the turns of one actor.
 *
 * <p>An actor has one turn at a time, so one slot is enough. The thread takes the slot's content before it
 * parks; whoever fills the slot unparks it after that; an unpark that comes first makes the park return at
 * once. So no turn is missed.
 */
public final class OwnThread implements ActorExecutor {
    private final AtomicReference<@Nullable Runnable> slot = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean closed;

    private OwnThread(String actor) {
        thread = unstarted(actor, this::work);
    }

    /** A platform thread that is not started. */
    public static Thread unstarted(String name, Runnable task) {
        return Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-" + name)
                .unstarted(task);
    }

    static OwnThread start(String actor) {
        var own = new OwnThread(actor);
        own.thread.start();
        return own;
    }

    @Override
    public void execute(Runnable turn) {
        if (!slot.compareAndSet(null, turn)) {
            throw new IllegalStateException(
                    thread.getName() + " was given a turn before it had run the last one");
        }
        LockSupport.unpark(thread);
    }

    private void work() {
        while (true) {
            var turn = slot.getAndSet(null);
            if (turn != null) {
                turn.run();
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
