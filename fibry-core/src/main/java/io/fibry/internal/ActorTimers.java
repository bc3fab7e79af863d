package io.fibry.internal;

import io.fibry.time.Cancellable;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one actor. They are the turn's own; the timer thread only sends a {@link TickNode} that
 * names its timer. Whether that timer still counts is looked up when the tick's turn comes, so none of a
 * cancelled or replaced timer is ever handled.
 */
final class ActorTimers implements Timers<Object> {
    private final Cell cell;
    private final Map<Object, Timer> timers = new HashMap<>();

    private ActorTimers(Cell cell) {
        this.cell = cell;
    }

    static ActorTimers of(Cell cell) {
        var companion = cell.companion();
        var made = companion.timers;
        if (made == null) {
            made = new ActorTimers(cell);
            companion.timers = made;
            cell.spec().scope().holdOn(cell);
        }
        return made;
    }

    /** One timer: another one under the same key is another object. */
    final class Timer {
        final Object message;
        private final Object key;
        private final long delayNanos;
        private final boolean repeats;
        private @Nullable Cancellable pending;

        private Timer(Object key, long delayNanos, boolean repeats, Object message) {
            this.key = key;
            this.delayNanos = delayNanos;
            this.repeats = repeats;
            this.message = message;
        }

        private void schedule() {
            pending = cell.spec().scope().time().schedule(delayNanos,
                    () -> {
                        Interleave.here();
                        cell.sendControlAway(new TickNode(this));
                    });
        }

        /** Whether this timer is neither cancelled nor replaced. */
        boolean isCurrent() {
            return timers.get(key) == this;
        }

        /** Its tick's turn has come; false if it does not count any more. */
        boolean takeTick() {
            if (!isCurrent()) {
                return false;
            }
            if (!repeats) {
                timers.remove(key);
            }
            return true;
        }

        void afterTick() {
            if (repeats && isCurrent()) {
                schedule();
            }
        }
    }

    @Override
    public void once(Object key, Duration delay, Object message) {
        set(new Timer(key, Durations.nanos(delay, "delay"), false,
                Objects.requireNonNull(message, "message")));
    }

    @Override
    public void every(Object key, Duration period, Object message) {
        set(new Timer(key, Durations.positiveNanos(period, "period"), true,
                Objects.requireNonNull(message, "message")));
    }

    private void set(Timer timer) {
        cancel(timer.key);
        if (cell.exitRequested()) {
            return; // the actor ends with this message, and its timers with it
        }
        timers.put(timer.key, timer);
        timer.schedule();
    }

    @Override
    public boolean cancel(Object key) {
        var timer = timers.remove(Objects.requireNonNull(key, "key"));
        if (timer == null) {
            return false;
        }
        if (timer.pending != null) {
            timer.pending.cancel();
        }
        return true;
    }

    @Override
    public boolean isSet(Object key) {
        return timers.containsKey(Objects.requireNonNull(key, "key"));
    }

    void cancelAll() {
        for (var key : timers.keySet().toArray()) {
            cancel(key);
        }
    }
}
