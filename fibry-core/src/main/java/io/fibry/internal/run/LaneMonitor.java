package io.fibry.internal.run;

import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Has the lanes looked at from time to time, on the timer thread, which needs no carrier. When there is nothing
 * to see it sleeps: an idle process has no wake-ups.
 *
 * <p>What has never run has to be loaded and linked first, which takes some milliseconds: too long for what waits in a slot.
 * So the monitor of a new process looks at nothing before it has rehearsed that; until then lanes use no slots.
 *
 * <pre>
 *   COLD     -> REHEARSING  a lane that has something for its slot; it sets a timer
 *   REHEARSING -> WATCHING  the timer thread
 *   ASLEEP   -> WATCHING    a lane that has just been registered; it sets the timer
 *   WATCHING -> ASLEEP      the timer thread, after some looks that saw nothing
 *   ASLEEP   -> WATCHING    the timer thread, if one more look after that saw something
 * </pre>
 *
 * <p>A lane registers first and then looks at the state; the timer thread changes the state first and then looks
 * at the register. So no registered lane is left unwatched.
 */
public final class LaneMonitor implements Lanes.Watcher {
    private enum State {
        COLD, REHEARSING, ASLEEP, WATCHING
    }

    private static final long TICK_NANOS = TimeUnit.MICROSECONDS.toNanos(400);
    /** How many looks in a row see nothing before it sleeps: about 10 ms. */
    private static final int PATIENCE = 25;

    private final AtomicReference<State> state;
    private final Lanes lanes;
    private final TimeSource time;
    /** The timer thread's. */
    private int quiet;

    public LaneMonitor(Lanes lanes, TimeSource time) {
        this(lanes, time, State.ASLEEP);
    }

    private LaneMonitor(Lanes lanes, TimeSource time, State state) {
        this.lanes = lanes;
        this.time = time;
        this.state = new AtomicReference<>(state);
    }

    /** One whose code may never have run in this process. */
    public static LaneMonitor cold(Lanes lanes, TimeSource time) {
        return new LaneMonitor(lanes, time, State.COLD);
    }

    @Override
    public boolean isReady() {
        return state.get().compareTo(State.ASLEEP) >= 0;
    }

    @Override
    public void getReady(Job some) {
        if (state.get() == State.COLD && state.compareAndSet(State.COLD, State.REHEARSING)) {
            var set = false;
            try {
                time.schedule(0, () -> rehearse(some));
                set = true;
            } finally {
                if (!set) {
                    state.set(State.COLD);
                }
            }
        }
    }

    /** Once it is ready, nothing may be left to load. If something fails here, the first looks take longer, and that is all. */
    private void rehearse(Job some) {
        var set = false;
        try {
            lanes.rehearse(some);
        } finally {
            try {
                setTimer();
                set = true;
            } finally {
                state.set(set ? State.WATCHING : State.ASLEEP);
            }
        }
    }

    @Override
    public void watch() {
        if (state.get() == State.ASLEEP && state.compareAndSet(State.ASLEEP, State.WATCHING)) {
            setTimerOrSleep();
        }
    }

    private void setTimerOrSleep() {
        var set = false;
        try {
            setTimer();
            set = true;
        } finally {
            if (!set) {
                state.set(State.ASLEEP); // the next lane tries again
            }
        }
    }

    private void setTimer() {
        time.schedule(TICK_NANOS, this::tick);
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
