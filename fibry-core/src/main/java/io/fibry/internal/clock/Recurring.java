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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that happens by a schedule: knows when the next time is and sets the timer for it. Each time is claimed
 * before the user's code begins, and cancelling takes all that is not claimed:
 *
 * <pre>
 *   state: n    -> n + 1   who is about to run the user's code, by CAS: one more is at work
 *          n    -> OVER    the same, if it is the last time
 *          n    -> n - 1   the same, when that code has ended, by CAS
 *          any  -> OVER    whoever cancels, by exchange
 * </pre>
 *
 * <p>So a claim either comes before the cancellation, which then finds it at work, or fails. Claims are made one after
 * the other; more than one is at work only where an actor receives a message of a timer inside the handler of another one.
 *
 * <p>Who makes it over then looks for the timer, and who has set a timer then looks whether it is over.
 */
public abstract class Recurring implements Scheduled, Runnable {
    private static final int OVER = -1;
    private static final VarHandle STATE =
            FieldAccess.of(MethodHandles.lookup(), "state", int.class);

    private final Schedule schedule;
    /** How many times are at work, or OVER. */
    private volatile int state;
    /** When it is to happen the next time, as far as {@link #waits}. */
    private volatile long due;
    private volatile long fired;
    private volatile boolean waits;
    private volatile @Nullable Cancellable pending;

    public Recurring(Schedule schedule) {
        this.schedule = schedule;
    }

    public abstract TimeSource time();

    /** Its time has come. On the timer thread. */
    public abstract void fire();

    /** Takes it out of its owner's list, since it is over. Called once. */
    public abstract void unlist();

    /** Whether the calling code is what happens, or is called by that. */
    public abstract boolean happensHere();

    /** Begins to wait for the first time. If its timer cannot be set, it is over before it has begun. */
    public final void begin() {
        try {
            waitForTheFirstTime();
        } catch (Throwable notSet) {
            makeOver();
            throw notSet;
        }
    }

    private void waitForTheFirstTime() {
        due = time().nanoTime() + switch (schedule.start()) {
            case Schedule.Start.After after -> Durations.boundedNanos(after.delay());
            case Schedule.Start.At ignored -> untilStart();
        };
        waitForIt();
    }

    /** How long it is until the time of day at which it starts; zero if that is over, or there is none. */
    private long untilStart() {
        if (!(schedule.start() instanceof Schedule.Start.At at)) {
            return 0;
        }
        var left = Duration.between(time().clock().instant(), at.time());
        return left.isNegative() ? 0 : Durations.boundedNanos(left);
    }

    /** Sets the timer, if it is not over. */
    public final void waitForIt() {
        waits = true;
        var timer = time().schedule(due - time().nanoTime(), this);
        pending = timer;
        Interleave.here();
        if (isOver()) {
            timer.cancel();
        }
    }

    @Override
    public final void run() {
        var early = fired == 0 ? untilStart() : 0;
        if (early > 0) { // the clock was set back
            due = time().nanoTime() + early;
            waitForIt();
        } else {
            fire();
        }
    }

    /** It is about to happen; false if it was cancelled. */
    public final boolean claims() {
        var times = fired + 1; // nobody else writes here: claims come one after the other
        var isLast = times >= schedule.most();
        int seen;
        // mutant: tick-is-taken-without-a-claim
        do {
            seen = state;
            if (seen == OVER) {
                return false;
            }
            Interleave.here();
        } while (!STATE.compareAndSet(this, seen, isLast ? OVER : seen + 1));
        Interleave.here();
        if (isLast) {
            unlist();
        }
        happens(times);
        return true;
    }

    private void happens(long times) {
        fired = times;
        waits = false;
        if (schedule.kind() == Schedule.Kind.FIXED_RATE) {
            var period = Durations.boundedNanos(schedule.period());
            var planned = due;
            var late = time().nanoTime() - planned;
            due = planned + period + Math.max(0, late) / period * period; // what was missed meanwhile is left out
        }
    }

    /** What was claimed has ended; true if it is to happen again. */
    public final boolean ends() {
        int seen;
        do {
            seen = state;
            if (seen == OVER) {
                return false;
            }
        } while (!STATE.compareAndSet(this, seen, seen - 1));
        return true;
    }

    /** Whether it was claimed and has not ended. By who would claim it. */
    public final boolean isAtWork() {
        return state > 0;
    }

    /** Whether the next time is known before the present one is over. */
    public final boolean keepsRate() {
        return schedule.kind() == Schedule.Kind.FIXED_RATE;
    }

    /** It has happened and is to happen again. */
    public final void waitAgain() {
        if (!keepsRate()) {
            due = time().nanoTime() + Durations.boundedNanos(schedule.period());
        }
        waitForIt();
    }

    @Override
    public final boolean isOver() {
        return state == OVER;
    }

    @Override
    public final boolean cancel() {
        StackReserve.require(); // once it is over nobody else takes it out of the list
        return makeOver();
    }

    /** The same where the stack was looked at, or is the engine's own. */
    public final boolean makeOver() {
        var before = (int) STATE.getAndSet(this, OVER);
        if (before == OVER) {
            return false;
        }
        unlist();
        Interleave.here();
        var timer = pending;
        if (timer != null) {
            timer.cancel();
        }
        // mutant: timer-is-cancelled-while-its-handler-begins
        return before == 0 || happensHere();
    }

    @Override
    public final long fired() {
        return fired;
    }

    @Override
    public final Optional<Duration> next() {
        if (isOver() || !(waits || keepsRate())) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofNanos(Math.max(0, due - time().nanoTime())));
    }

    @Override
    public final String toString() {
        return "Scheduled[" + schedule + ", fired: " + fired + (isOver() ? ", over]" : "]");
    }
}
