package io.fibry.internal.timer;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.clock.Recurring;
import io.fibry.internal.context.Carried;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.StackReserve;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.TimeSource;
import io.fibry.time.Timers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one actor. The turn sets them. The timer thread only sends a {@link TickNode} that refers to its
 * timer. The turn claims the tick when it handles the node, so no tick of a timer that was cancelled or replaced is
 * ever handled.
 */
public final class ActorTimers extends Feature implements Timers<Object> {
    private final Cell cell;
    /** A timer that is over removes itself; {@code Recurring.state} decides whether a tick counts. */
    private final Map<Key, Timer> timers = new ConcurrentHashMap<>();

    /** A user's key with its hash code, which may change, or throw. The end of an actor calls no method of its keys. */
    private record Key(Object key, int hash) {
        static Key of(Object key) {
            return new Key(key, key.hashCode());
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key mine && hash == mine.hash && key.equals(mine.key);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    public ActorTimers(Cell cell) {
        this.cell = cell;
    }

    /** Returns the timers of an actor, whose turn calls. */
    public static ActorTimers of(Cell cell) {
        var extended = cell.extendedState();
        var made = extended.feature(ActorTimers.class);
        if (made == null) {
            made = extended.addIfAbsent(ActorTimers.class, new ActorTimers(cell));
            cell.spec().scope().holdOn(cell);
        }
        return made;
    }

    /** Returns how many timers are set. Called by any thread. */
    public int size() {
        return timers.size();
    }

    /** One timer. A timer that replaces it under the same key is another object. */
    public final class Timer extends Recurring {
        public final Object message;
        /** The context of the handler that has set the timer. */
        final @Nullable Carried carried = cell.spec().capture();
        private final Key key;

        private Timer(Key key, Schedule schedule, Object message) {
            super(schedule);
            this.key = key;
            this.message = message;
        }

        /** Returns the actor to which this timer belongs. */
        public Cell actor() {
            return cell;
        }

        @Override
        public TimeSource time() {
            return cell.spec().scope().time();
        }

        @Override
        public void fire() {
            assert Interleave.here();
            cell.sendControlAway(new TickNode(this));
        }

        @Override
        public void unlist() {
            timers.remove(key, this);
        }

        @Override
        public boolean isHappeningHere() {
            return Current.isInside(cell);
        }

        /** Claims a tick; returns false if the timer was cancelled or replaced. */
        boolean takeTick() {
            // mutant: tick-of-a-cancelled-timer-is-handled
            if (!claim()) {
                return false;
            }
            if (keepsRate()) {
                setTimer();
            }
            return true;
        }

        /** Sets the timer again after a tick was handled, if its schedule has a fixed delay. */
        void afterTick() {
            if (end() && !keepsRate()) {
                setNextTimer();
            }
        }
    }

    @Override
    public Scheduled set(Object key, Schedule schedule, Object message) {
        var mine = Key.of(Objects.requireNonNull(key, "key"));
        var timer = new Timer(mine,
                Objects.requireNonNull(schedule, "schedule"), Objects.requireNonNull(message, "message"));
        StackReserve.require(); // all actors share the heap of timers, which must not be left half changed
        cancel(mine);
        if (cell.isStopping()) { // its timers have been cancelled, and one of its hooks sets one
            timer.cancelUnchecked();
        } else {
            timers.put(mine, timer);
            timer.begin();
        }
        return timer;
    }

    @Override
    public boolean cancel(Object key) {
        return cancel(Key.of(Objects.requireNonNull(key, "key")));
    }

    private boolean cancel(Key key) {
        var timer = timers.get(key);
        return timer != null && timer.cancel();
    }

    @Override
    public boolean isSet(Object key) {
        var timer = timers.get(Key.of(Objects.requireNonNull(key, "key")));
        return timer != null && !timer.isOver();
    }

    @Override
    public void restarting(Throwable cause) {
        cancelAll();
    }

    @Override
    public void stopping() {
        // mutant: timers-outlive-their-actor
        cancelAll();
    }

    private void cancelAll() {
        var all = List.copyOf(timers.values());
        timers.clear();
        for (var timer : all) {
            timer.cancelUnchecked();
        }
    }

    @Override
    public String toString() {
        return "Timers[" + cell.name() + ", set: " + timers.size() + "]";
    }
}
