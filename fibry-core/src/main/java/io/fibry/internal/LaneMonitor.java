package io.fibry.internal;

import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Has the lanes looked at from time to time, on the timer thread, which needs no carrier. When there is nothing
 * to see it sleeps: an idle process has no wake-ups.
 *
 * <pre>
 *   ASLEEP   -> WATCHING    a lane that has just been registered; it sets the timer
 *   WATCHING -> ASLEEP      the timer thread, after some looks that saw nothing
 *   ASLEEP   -> WATCHING    the timer thread, if one more look after that saw something
 * </pre>
 *
 * <p>A lane registers first and then looks at the state; the timer thread changes the state first and then looks
 * at the register. So no registered lane is left unwatched.
 */
final class LaneMonitor {
    private enum State {
        ASLEEP, WATCHING
    }

    private static final long TICK_NANOS = TimeUnit.MICROSECONDS.toNanos(400);
    /** How many looks in a row see nothing before it sleeps: about 10 ms. */
    private static final int PATIENCE = 25;

    private final AtomicReference<State> state = new AtomicReference<>(State.ASLEEP);
    private final Lanes lanes;
    private final TimeSource time;
    /** The timer thread's. */
    private int quiet;

    LaneMonitor(Lanes lanes, TimeSource time) {
        this.lanes = lanes;
        this.time = time;
    }

    /** Sees to it that somebody looks at the lanes. */
    void watch() {
        if (state.get() == State.ASLEEP && state.compareAndSet(State.ASLEEP, State.WATCHING)) {
            setTimerOrSleep();
        }
    }

    private void setTimerOrSleep() {
        var set = false;
        try {
            time.schedule(TICK_NANOS, this::tick);
            set = true;
        } finally {
            if (!set) {
                state.set(State.ASLEEP); // the next lane tries again
            }
        }
    }

    private void tick() {
        var goesOn = true;
        try {
            quiet = lanes.look() ? 0 : quiet + 1;
            goesOn = quiet < PATIENCE || !sleeps();
        } finally {
            if (goesOn) {
                setTimerOrSleep();
            }
        }
    }

    private boolean sleeps() {
        quiet = 0;
        state.set(State.ASLEEP);
        return !lanes.look() || !state.compareAndSet(State.ASLEEP, State.WATCHING);
    }
}
