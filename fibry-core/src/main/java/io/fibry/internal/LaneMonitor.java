package io.fibry.internal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the lanes from time to time, on a platform thread, which needs no carrier. When there is nothing
 * to see it sleeps, and when that lasts it ends: an idle process has no wake-ups.
 *
 * <pre>
 *   GONE     -> WATCHING    a lane that has filled its slot; it starts the thread
 *   ASLEEP   -> WATCHING    the same; it unparks the thread
 *   WATCHING -> ASLEEP      the thread, after some looks that saw nothing
 *   ASLEEP   -> WATCHING    the thread, if one more look after that saw something
 *   ASLEEP   -> GONE        the thread, after a long sleep
 * </pre>
 *
 * <p>A lane registers first and then looks at the state; the thread changes the state first and then looks at
 * the register. So no registered lane is left unwatched.
 */
final class LaneMonitor {
    private enum State {
        GONE, ASLEEP, WATCHING
    }

    private static final long TICK_NANOS = 400_000;
    /** How many looks in a row see nothing before it sleeps: about 10 ms. */
    private static final int PATIENCE = 25;
    private static final long SLEEP_NANOS = 500_000_000;

    private final AtomicReference<State> state = new AtomicReference<>(State.GONE);
    private final Lanes lanes;
    private volatile @Nullable Thread thread;

    LaneMonitor(Lanes lanes) {
        this.lanes = lanes;
    }

    /** Sees to it that somebody looks at the lanes. */
    void watch() {
        if (state.get() == State.WATCHING) {
            return;
        }
        if (state.compareAndSet(State.ASLEEP, State.WATCHING)) {
            LockSupport.unpark(thread);
        } else if (state.compareAndSet(State.GONE, State.WATCHING)) {
            Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-lanes")
                    .start(this::work);
        }
    }

    private void work() {
        thread = Thread.currentThread();
        while (true) {
            lookWhileBusy();
            state.set(State.ASLEEP);
            if (lanes.look()) {
                state.compareAndSet(State.ASLEEP, State.WATCHING);
                continue;
            }
            LockSupport.parkNanos(this, SLEEP_NANOS);
            if (state.compareAndSet(State.ASLEEP, State.GONE)) {
                return;
            }
        }
    }

    private void lookWhileBusy() {
        var quiet = 0;
        while (quiet < PATIENCE) {
            LockSupport.parkNanos(this, TICK_NANOS);
            quiet = lanes.look() ? 0 : quiet + 1;
        }
    }
}
