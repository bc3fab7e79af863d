package io.fibry.internal;

import io.fibry.time.Cancellable;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that happens by a schedule: knows when the next time is and sets the timer for it. It waits for a timer, or
 * is happening; one after the other, so what happens needs no guard. Whether it is {@link #isOver} is decided elsewhere,
 * by any thread, which then calls {@link #stopWaiting}: that looks for the timer after it is over, and who has set a timer
 * then looks whether it is over.
 */
abstract class Recurring implements Scheduled, Runnable {
    private final Schedule schedule;
    /** When it is to happen the next time, as far as {@link #waits}. */
    private volatile long due;
    private volatile long fired;
    private volatile boolean waits;
    private volatile @Nullable Cancellable pending;

    Recurring(Schedule schedule) {
        this.schedule = schedule;
    }

    abstract TimeSource time();

    /** Its time has come. On the timer thread. */
    abstract void comes();

    /** Begins to wait for the first time. */
    final void begin() {
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
    final void waitForIt() {
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
            comes();
        }
    }

    /** It happens now; true if it is to happen again. */
    final boolean happens() {
        var times = fired + 1; // nobody else writes here: one happens at a time
        fired = times;
        waits = false;
        if (schedule.kind() == Schedule.Kind.FIXED_RATE) {
            var period = Durations.boundedNanos(schedule.period());
            var planned = due;
            var late = time().nanoTime() - planned;
            due = planned + period + Math.max(0, late) / period * period; // what was missed meanwhile is left out
        }
        return times < schedule.most();
    }

    /** Whether the next time is known before the present one is over. */
    final boolean keepsRate() {
        return schedule.kind() == Schedule.Kind.FIXED_RATE;
    }

    /** It has happened and is to happen again. */
    final void waitAgain() {
        if (!keepsRate()) {
            due = time().nanoTime() + Durations.boundedNanos(schedule.period());
        }
        waitForIt();
    }

    /** It is over. */
    final void stopWaiting() {
        var timer = pending;
        if (timer != null) {
            timer.cancel();
        }
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
}
