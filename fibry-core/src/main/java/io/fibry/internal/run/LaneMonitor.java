package io.fibry.internal.run;

import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Looks at the lanes from time to time, on the timer thread, which needs no carrier. When there is nothing to see the
 * monitor sleeps: an idle process has no wake-ups.
 *
 * <p>Code that has never run has to be loaded and linked first. That takes some milliseconds, which is too long for a
 * job in a slot. So the monitor of a new process looks at no lane before it has rehearsed a look; until then lanes do
 * not use their slots.
 *
 * <pre>
 *   COLD       -> REHEARSING  a lane that has a job for its slot; it sets a timer
 *   REHEARSING -> COLD        the same lane, if the timer cannot be set
 *   REHEARSING -> WATCHING    the timer thread
 *   REHEARSING -> ASLEEP      the timer thread, if the timer of the first look cannot be set
 *   ASLEEP     -> WATCHING    a lane that has just registered; it sets the timer
 *   WATCHING   -> ASLEEP      the timer thread, after some looks that saw nothing, or if the timer cannot be set
 *   ASLEEP     -> WATCHING    the timer thread, if one more look after that saw something
 * </pre>
 *
 * <p>A lane first registers and then reads the state. The timer thread first changes the state and then reads the
 * register. So no registered lane is left unwatched.
 */
public final class LaneMonitor implements Lanes.Watcher {
    private enum State {
        COLD, REHEARSING, ASLEEP, WATCHING
    }

    private static final long TICK_NANOS = TimeUnit.MICROSECONDS.toNanos(400);
    /** The number of looks in a row that see nothing before the monitor sleeps: about 10 ms. */
    private static final int MAX_QUIET_LOOKS = 25;

    /** Written by lanes and the monitor, by CAS. */
    private final AtomicReference<State> state;
    private final Lanes lanes;
    private final TimeSource time;
    private final Runnable tick;
    /** The number of looks in a row that saw nothing. Confined to the timer thread. */
    private int quietLooks;

    private record Rehearsal(LaneMonitor monitor, Job example) implements Runnable {
        @Override
        public void run() {
            monitor.rehearse(example);
        }
    }

    public LaneMonitor(Lanes lanes, TimeSource time) {
        this(lanes, time, State.ASLEEP);
    }

    private LaneMonitor(Lanes lanes, TimeSource time, State state) {
        this.lanes = lanes;
        this.time = time;
        this.state = new AtomicReference<>(state);
        tick = this::tick;
    }

    /** Creates a monitor whose code may never have run in this process. */
    public static LaneMonitor cold(Lanes lanes, TimeSource time) {
        return new LaneMonitor(lanes, time, State.COLD);
    }

    @Override
    public boolean isReady() {
        return state.get().compareTo(State.ASLEEP) >= 0;
    }

    @Override
    public void prepare(Job example) {
        if (state.get() == State.COLD && state.compareAndSet(State.COLD, State.REHEARSING)) {
            var set = false;
            try {
                time.schedule(0, new Rehearsal(this, example));
                set = true;
            } finally {
                if (!set) {
                    state.set(State.COLD);
                }
            }
        }
    }

    /**
     * Rehearses a look. Once the monitor is ready, nothing may be left to load. If something fails here, the first
     * looks take longer, but do the same.
     */
    private void rehearse(Job example) {
        var set = false;
        try {
            lanes.rehearse(example);
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
                state.set(State.ASLEEP); // the next lane that registers tries again
            }
        }
    }

    private void setTimer() {
        time.schedule(TICK_NANOS, tick);
    }

    private void tick() {
        var continues = true;
        try {
            quietLooks = lanes.look() ? 0 : quietLooks + 1;
            continues = quietLooks < MAX_QUIET_LOOKS || !fallAsleep();
        } finally {
            if (continues) {
                setTimerOrSleep();
            }
        }
    }

    private boolean fallAsleep() {
        quietLooks = 0;
        state.set(State.ASLEEP);
        return !lanes.look() || !state.compareAndSet(State.ASLEEP, State.WATCHING);
    }
}
