package io.fibry.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until it is moved by hand: for tests of what happens in time, which then need not sleep.
 * What is due runs on the thread that moves the clock, in order, each at its time.
 *
 * <pre>{@code
 * var time = new ManualTime();
 * try (var scope = ActorScope.configure("test").time(time).open()) {
 *     var ticks = new AtomicInteger();
 *     var actor = scope.anonymous().<String>newActor((context, message) -> {
 *         switch (message) {
 *             case "start" -> context.timers().fixedRate("beat", Duration.ofSeconds(1), "tick");
 *             default -> ticks.incrementAndGet();
 *         }
 *     });
 *     actor.sendMessage("start");
 *     time.advance(Duration.ofSeconds(10));
 *     assertEquals(10, ticks.get());
 * }
 * }</pre>
 *
 * <p><b>Actors.</b> Timers' messages are handled where their actors run. Before the clock is moved, and after each task
 * that was due, {@link #advance} waits until the actors of all open scopes that have this clock are <i>at rest</i>: they
 * have handled what they had, and what came of that, by the time that the clock shows. So a timer that fires in the middle
 * of an advance is handled at its own time, and what its handler sets counts from there: also the next time of a fixed
 * rate, the pause of a fixed delay, which begins when the handler has ended, a limit of an ask, or the next message that a
 * rate lets pass. The same program gives the same result on every strategy. The actor in whose handler {@code advance} is
 * called is not waited for.
 *
 * <p><b>What stands is not waited for:</b> an actor whose handler waits for something that does not come from the
 * clock's scopes within some 50 ms of real time (a latch, a lock, a connection, or a message in a {@code receive}), one
 * that sleeps in real time for longer than some 250 ms, and one that finds no thread to run on for a second. What is late
 * for such an actor is late, as it would be with a real clock. A handler that waits for this clock, with a time limit, say,
 * stands until the clock gets there, and goes on then.
 *
 * <p><b>What computes is waited for,</b> but not for ever: after the clock's patience, ten seconds of real time if nothing
 * else is said, {@code advance} throws an {@link IllegalStateException} that names the actors that are at work and where
 * they are. A clock without patience ({@link Duration#ZERO}) waits for nobody.
 *
 * <p>Thread-safe; but if two threads move the clock, what is due may run on either of them. What the
 * handlers of an actor have done that was found idle happens-before the return of the method that has waited for that.
 */
public final class ManualTime implements TimeSource {
    private final NavigableSet<Task> tasks = new ConcurrentSkipListSet<>();
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final Set<Activity> activities = new CopyOnWriteArraySet<>();
    private final Duration patience;
    private final Clock clock;

    /** A clock that shows the beginning of 1970, in UTC. */
    public ManualTime() {
        this(Instant.EPOCH);
    }

    /**
     * A clock that shows a certain time.
     *
     * @param start what it shows before it is moved
     */
    public ManualTime(Instant start) {
        this(start, Duration.ofSeconds(10));
    }

    /**
     * A clock that shows a certain time, and waits for actors as long as is said.
     *
     * @param start what it shows before it is moved
     * @param patience for how long of real time it waits for actors that are at work, each time; zero: for nobody
     */
    public ManualTime(Instant start, Duration patience) {
        if (Objects.requireNonNull(patience, "patience").isNegative()) {
            throw new IllegalArgumentException("patience must not be negative: " + patience);
        }
        this.patience = patience;
        clock = new WallClock(Objects.requireNonNull(start, "start"), ZoneOffset.UTC);
    }

    private record Task(long due, long number, Runnable code) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
        }
    }

    /** The time of day that belongs to the nanoseconds. */
    private final class WallClock extends Clock {
        private final Instant start;
        private final ZoneId zone;

        WallClock(Instant start, ZoneId zone) {
            this.start = start;
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new WallClock(start, other);
        }

        @Override
        public Instant instant() {
            return start.plusNanos(nanoTime());
        }
    }

    /** How long it is since it was made. */
    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        var set =
                new Task(after(delayNanos), numbers.getAndIncrement(), Objects.requireNonNull(task, "task"));
        tasks.add(set);
        return () -> tasks.remove(set);
    }

    @Override
    public Cancellable follow(Activity activity) {
        activities.add(Objects.requireNonNull(activity, "activity"));
        return () -> activities.remove(activity);
    }

    /**
     * Moves the clock and runs what is due meanwhile, tasks that such tasks set included; before that, and after each
     * task, it waits until the actors are at rest, as said above. What a task throws is thrown here; the clock then stands
     * at that task's time. If the calling thread is interrupted it waits for nobody and keeps its flag.
     *
     * @param duration how far, not negative
     * @throws IllegalStateException if actors are still at work when the patience is over: it names them, and the clock
     *         stands at the time at which they are
     */
    public void advance(Duration duration) {
        if (Objects.requireNonNull(duration, "duration").isNegative()) {
            throw new IllegalArgumentException("duration must not be negative: " + duration);
        }
        var most = Duration.ofNanos(Long.MAX_VALUE);
        advanceTo(after(duration.compareTo(most) > 0 ? Long.MAX_VALUE : duration.toNanos()));
    }

    /**
     * Moves the clock to the next task and runs what is due then. It waits for actors as {@link #advance} does.
     *
     * @return false if there is none
     * @throws IllegalStateException if actors are still at work when the patience is over
     */
    public boolean advanceToNext() {
        awaitRest();
        var next = next(Long.MAX_VALUE);
        if (next == null) {
            return false;
        }
        advanceTo(next.due);
        return true;
    }

    /**
     * Waits until the actors of all open scopes that have this clock are at rest, and does not move it. After this nothing
     * changes any more, but for what stands, before somebody sends a message or moves the clock.
     *
     * @throws IllegalStateException if actors are still at work when the patience is over: it names them
     */
    public void awaitRest() {
        awaitRest(false);
    }

    private void awaitRest(boolean again) {
        if (patience.isZero() || activities.isEmpty()) {
            return;
        }
        try {
            // Actors of one scope may have sent to those of another that was looked at before.
            for (int rounds = activities.size() > 1 ? 2 : 1; rounds > 0; rounds--) {
                for (var activity : activities) {
                    var works = activity.awaitRest(patience, again);
                    if (works.isPresent()) {
                        throw new IllegalStateException("the clock stands at " + clock.instant()
                                + ", since after "
                                + patience + " of real time there are still at work: " + works.get()
                                + "; let these handlers end, or make the clock with more patience, or with none"
                                + " (Duration.ZERO) to wait for nobody");
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A time from now; the end of time, in nearly 300 years, is not passed. */
    private long after(long nanos) {
        var from = now.get();
        return from + Math.min(Math.max(0, nanos), Long.MAX_VALUE - from);
    }

    private void advanceTo(long end) {
        awaitRest(false);
        for (var task = next(end); task != null; task = next(end)) {
            if (tasks.remove(task)) { // else it was cancelled, or another thread runs it
                moveTo(task.due);
                task.code.run();
                awaitRest(true);
            }
        }
        moveTo(end);
    }

    private @Nullable Task next(long end) {
        var it = tasks.iterator();
        var first = it.hasNext() ? it.next() : null;
        return first != null && first.due <= end ? first : null;
    }

    private void moveTo(long time) {
        now.accumulateAndGet(time, Math::max);
    }

    /**
     * How long it is to the next task.
     *
     * @return nanoseconds, {@code Long.MAX_VALUE} if there is none
     */
    public long nanosToNext() {
        var next = next(Long.MAX_VALUE);
        return next == null ? Long.MAX_VALUE : next.due - now.get();
    }

    /**
     * How many tasks are still to run.
     *
     * @return the number
     */
    public int pending() {
        return tasks.size();
    }

    @Override
    public String toString() {
        return "ManualTime[" + Duration.ofNanos(now.get()) + " after its start, tasks: " + tasks.size() + "]";
    }
}
