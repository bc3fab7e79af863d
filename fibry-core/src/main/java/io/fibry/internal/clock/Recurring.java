package io.fibry.internal.clock;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.time.Cancellable;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An action that happens by a schedule. It knows when the next time is, and sets the timer for it. Each time is claimed
 * before the code of the user begins. Cancelling takes back all that is not claimed.
 *
 * <pre>
 *   state: n    -> n + 1   the thread that is about to run the user's code, by CAS: one more time is running
 *          n    -> OVER    the same, if it is the last time
 *          n    -> n - 1   the same, when that code has ended, by CAS
 *          any  -> OVER    a thread that cancels, by exchange
 * </pre>
 *
 * <p>So a claim either comes before the cancellation, which then finds that the action is running, or fails. Claims are
 * made one after another. More than one time is running only if an actor receives a message of a timer inside the
 * handler of another one.
 *
 * <p>The thread that sets {@code OVER} then reads the timer, and the thread that has set a timer then reads the state.
 * So one of the two cancels the timer.
 */
public abstract class Recurring implements Scheduled, Runnable {
    private static final int OVER = -1;
    private static final VarHandle STATE =
            FieldAccess.of(MethodHandles.lookup(), "state", int.class);

    private final Schedule schedule;
    /**
     * The number of times that are running, or OVER. Written by CAS; to cancel, by an exchange. A claim fails,
     * or comes before the cancellation, which then finds it.
     */
    private volatile int state;
    /**
     * When the action is to happen the next time. Valid while {@link #isWaiting}, and always at a fixed rate.
     * Written by the thread that sets the timer. There is one at a time: the action waits or happens.
     */
    private volatile long due;
    /**
     * The next time, if the action goes by the time of day. Written by the thread that sets the timer.
     */
    private volatile @Nullable Instant at;
    /** When the action happened last. Written by the thread that sets the timer. */
    private volatile long fired;
    /** Written by the thread that sets the timer. */
    private volatile boolean isWaiting;
    /** Written by the thread that sets the timer. */
    private volatile @Nullable Cancellable pending;

    public Recurring(Schedule schedule) {
        this.schedule = schedule;
    }

    public abstract TimeSource time();

    /** Called on the timer thread when the time has come. */
    public abstract void fire();

    /** Takes this action out of the list of its owner, since it is over. Called once. */
    public abstract void unlist();

    /** Tells whether the calling code is this action, or is called by it. */
    public abstract boolean isHappeningHere();

    /** Begins to wait for the first time. If the timer cannot be set, the action is over. */
    public final void begin() {
        try {
            setFirstTimer();
        } catch (Throwable notSet) {
            cancelUnchecked();
            throw notSet;
        }
    }

    private void setFirstTimer() {
        var delay = Durations.boundedNanos(schedule.delay());
        var next = schedule.next(now().plusNanos(delay));
        at = (next.isPresent() ? next : schedule.start()).orElse(null);
        due = time().nanoTime() + (at == null ? delay : untilTime());
        setTimer();
    }

    private Instant now() {
        return time().clock().instant();
    }

    /** Returns how long it is until the next time of day; zero if that is over, or if there is none. */
    private long untilTime() {
        var next = at;
        var left = next == null ? Duration.ZERO : Duration.between(now(), next);
        return left.isNegative() ? 0 : Durations.boundedNanos(left);
    }

    /** Sets the timer, and cancels it again if the action is over. */
    public final void setTimer() {
        isWaiting = true;
        var timer = time().schedule(due - time().nanoTime(), this);
        pending = timer;
        assert Interleave.here();
        if (isOver()) {
            timer.cancel();
        }
    }

    @Override
    public final void run() {
        var early = untilTime();
        if (early > 0) { // the clock was set back
            due = time().nanoTime() + early;
            setTimer();
        } else {
            fire();
        }
    }

    /** Claims a time of the action, which is about to happen; returns false if it was cancelled. */
    public final boolean claim() {
        var times = fired + 1; // only this writes the field: claims come one after another
        var isLast = times >= schedule.most();
        int seen;
        // mutant: tick-is-taken-without-a-claim
        do {
            seen = state;
            if (seen == OVER) {
                return false;
            }
            assert Interleave.here();
        } while (!STATE.compareAndSet(this, seen, isLast ? OVER : seen + 1));
        assert Interleave.here();
        if (isLast) {
            unlist();
        }
        recordClaim(times);
        return true;
    }

    private void recordClaim(long times) {
        fired = times;
        isWaiting = false;
        if (schedule.kind() == Schedule.Kind.FIXED_RATE) {
            var period = Durations.boundedNanos(schedule.period());
            var planned = due;
            var late = time().nanoTime() - planned;
            due = planned + period + Math.max(0, late) / period * period; // times that were missed are left out
        }
        var last = at;
        if (last != null) {
            var now = now();
            at = schedule.next(now.isAfter(last) ? now : last).orElse(null);
        }
        if (schedule.kind() == Schedule.Kind.CALENDAR) {
            due = time().nanoTime() + untilTime();
        }
    }

    /** Ends a time that was claimed; returns true if the action is to happen again. */
    public final boolean end() {
        int seen;
        do {
            seen = state;
            if (seen == OVER) {
                return false;
            }
        } while (!STATE.compareAndSet(this, seen, seen - 1));
        return true;
    }

    /** Tells whether a time was claimed and has not ended. Called by the thread that would claim the next one. */
    public final boolean isAtWork() {
        return state > 0;
    }

    /** Tells whether the next time is known before the present one has ended. */
    public final boolean keepsRate() {
        return schedule.kind() == Schedule.Kind.FIXED_RATE || schedule.kind() == Schedule.Kind.CALENDAR;
    }

    /** Sets the timer for the next time, after the action has happened. */
    public final void setNextTimer() {
        if (!keepsRate()) {
            due = time().nanoTime() + Durations.boundedNanos(schedule.period());
        }
        setTimer();
    }

    @Override
    public final boolean isOver() {
        return state == OVER;
    }

    @Override
    public final boolean cancel() {
        StackReserve.require(); // once the action is over, no other thread takes it out of the list
        return cancelUnchecked();
    }

    /** Cancels like {@link #cancel}, where the stack was checked or is the engine's own. */
    public final boolean cancelUnchecked() {
        var before = (int) STATE.getAndSet(this, OVER);
        if (before == OVER) {
            return false;
        }
        unlist();
        assert Interleave.here();
        var timer = pending;
        if (timer != null) {
            timer.cancel();
        }
        // mutant: timer-is-cancelled-while-its-handler-begins
        return before == 0 || isHappeningHere();
    }

    @Override
    public final long fired() {
        return fired;
    }

    @Override
    public final Optional<Duration> next() {
        if (isOver() || !(isWaiting || keepsRate())) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofNanos(Math.max(0, due - time().nanoTime())));
    }

    @Override
    public final String toString() {
        return "Scheduled[" + schedule + ", fired: " + fired + (isOver() ? ", over]" : "]");
    }
}
