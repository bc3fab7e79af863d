package io.fibry.time;

import io.fibry.ActorSystem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until it is moved by hand. It is meant for tests of code that depends on time, which then
 * need not sleep. Tasks that are due run on the thread that moves the clock, in order, each at its time.
 *
 * <pre>{@code
 * var time = new ManualTime();
 * try (var scope = ActorSystem.configure("test").time(time).open()) {
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
 * <p><b>Actors.</b> The messages of timers are handled where their actors run. Before the clock is moved, and after
 * each task that was due, {@link #advance} waits until the actors of all open scopes that have this clock are <i>at
 * rest</i>: they have handled the messages that they had by the time that the clock shows, and the messages that came
 * of these. So the message of a timer that fires in the middle of an advance is handled at its own time, and the times
 * that its handler sets count from there. This also holds for the next time of a fixed rate, for the pause of a fixed
 * delay, which begins when the handler has ended, for the time limit of an ask, and for the next message that a rate
 * limit allows. The same program gives the same result on every strategy. If a handler calls {@code advance}, its actor
 * is not waited for.
 *
 * <p><b>Actors that stand are not waited for.</b> An actor stands if its handler waits for some 50 ms of real time for
 * something that does not come from the scopes of the clock (a latch, a lock, a connection, or a message in a {@code
 * receive}), if its handler sleeps in real time for longer than some 250 ms, or if it finds no thread to run on for a
 * second. What is late for such an actor is late, as it would be with a real clock. A handler that waits for this
 * clock, for example with a time limit, stands until the clock reaches that time, and then goes on.
 *
 * <p><b>Actors that compute are waited for,</b> but not for ever. After the patience of the clock, which is ten seconds
 * of real time by default, {@code advance} throws an {@link IllegalStateException} that names the actors that are at
 * work and the place in their code. A clock without patience ({@link Duration#ZERO}) does not wait for actors.
 *
 * <p>Objects of this class are thread-safe. If several threads move the clock, they take turns, task by task, and a
 * task that is due runs on one of them. The actions of an actor's handlers happen-before the return of a method that
 * has waited until the actor was idle.
 */
public final class ManualTime implements TimeSource {
    /** The tasks are the values, since the map may keep the key of a removed entry for a while. */
    private final ConcurrentNavigableMap<Moment, Runnable> tasks = new ConcurrentSkipListMap<>();
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final Set<Activity> activities = new CopyOnWriteArraySet<>();
    /**
     * Held while a task runs and until the actors are at rest, so that no thread moves the clock past what they
     * are about to set.
     */
    private final ReentrantLock turn = new ReentrantLock();
    private final Duration patience;
    private final Clock clock;

    /** Makes a clock that shows the beginning of 1970, in UTC. */
    public ManualTime() {
        this(Instant.EPOCH, Duration.ofSeconds(10));
    }

    /**
     * Makes a clock that shows a given time and has a given patience.
     *
     * @param start the time before the clock is moved
     * @param patience how long in real time the clock waits for actors that are at work, each time; zero if it does not
     *     wait
     */
    public ManualTime(Instant start, Duration patience) {
        if (Objects.requireNonNull(patience, "patience").isNegative()) {
            throw new IllegalArgumentException("patience must not be negative: " + patience);
        }
        this.patience = patience;
        clock = new WallClock(Objects.requireNonNull(start, "start"), ZoneOffset.UTC);
    }

    /** When a task is due; tasks of the same time run in the order of their numbers. */
    private record Moment(long due, long number) implements Comparable<Moment> {
        @Override
        public int compareTo(Moment other) {
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

    /** Returns the time since the clock was made. */
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
        var moment = new Moment(after(delayNanos), numbers.getAndIncrement());
        tasks.put(moment, Objects.requireNonNull(task, "task"));
        return () -> tasks.remove(moment) != null;
    }

    @Override
    public Cancellable follow(Activity activity) {
        activities.add(Objects.requireNonNull(activity, "activity"));
        return () -> activities.remove(activity);
    }

    /**
     * Moves the clock and runs the tasks that become due, including those that such tasks set. Before that, and after
     * each task, the method waits until the actors are at rest, as the class describes. If a task throws, this method
     * throws the same exception, and the clock stays at the time of that task. If the calling thread is interrupted,
     * the method does not wait for actors, and the thread keeps its interrupt flag.
     *
     * @param duration how far to move the clock, not negative
     * @throws IllegalStateException if actors are still at work when the patience is over; the message names them, and
     *     the clock stays at the time of their work
     */
    public void advance(Duration duration) {
        if (Objects.requireNonNull(duration, "duration").isNegative()) {
            throw new IllegalArgumentException("duration must not be negative: " + duration);
        }
        var most = Duration.ofNanos(Long.MAX_VALUE);
        advanceTo(after(duration.compareTo(most) > 0 ? Long.MAX_VALUE : duration.toNanos()));
    }

    /**
     * Moves the clock to the next task and runs the tasks that are due then. The method waits for actors as {@link
     * #advance} does.
     *
     * @return false if there is no task
     * @throws IllegalStateException if actors are still at work when the patience is over
     */
    public boolean advanceToNext() {
        awaitRest();
        var next = next(Long.MAX_VALUE);
        if (next == null) {
            return false;
        }
        advanceTo(next.getKey().due);
        return true;
    }

    /**
     * Waits until the actors of all open scopes that have this clock are at rest, and does not move the clock. After
     * that nothing changes, except for actors that stand, until a message is sent or the clock is moved.
     *
     * @throws IllegalStateException if actors are still at work when the patience is over; the message names them
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
            var all = Duration.ZERO;
            var isAtRest = false;
            for (int round = 1; !isAtRest; round++) {
                var waited = Duration.ZERO;
                for (var activity : activities) {
                    waited = waited.plus(activity.awaitRest(patience, again || round > 2));
                }
                isAtRest = waited.isZero() || activities.size() <= 1;
                all = all.plus(waited);
                if (!isAtRest && all.compareTo(patience) > 0) {
                    throw new TimeoutException("actors of several scopes, which send to one another");
                }
            }
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "the clock stands at " + clock.instant() + ", since after " + patience
                            + " of real time there are still at work: " + e.getMessage()
                            + "; let these handlers end, or make the clock with more patience, or with none"
                            + " (Duration.ZERO) to wait for nobody",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a time from now, and at most the greatest one, in nearly 300 years. */
    private long after(long nanos) {
        var from = now.get();
        return from + Math.min(Math.max(0, nanos), Long.MAX_VALUE - from);
    }

    private void advanceTo(long end) {
        awaitRest(false);
        boolean isBefore;
        do {
            isBefore = runNext(end);
        } while (isBefore);
    }

    /**
     * Runs the next task, or moves the clock to the end and returns false if there is none. Threads that move the clock
     * take turns: an actor that has got a message from one of them may be about to set a task that is due before the
     * end of another one.
     */
    private boolean runNext(long end) {
        turn.lock();
        try {
            var task = next(end);
            if (task == null) {
                moveTo(end);
                return false;
            }
            if (tasks.remove(task.getKey()) != null) { // else it was cancelled
                moveTo(task.getKey().due);
                task.getValue().run();
                awaitRest(true);
            }
            return true;
        } finally {
            turn.unlock();
        }
    }

    private Map.@Nullable Entry<Moment, Runnable> next(long end) {
        var first = tasks.firstEntry();
        return first != null && first.getKey().due <= end ? first : null;
    }

    private void moveTo(long time) {
        now.accumulateAndGet(time, Math::max);
    }

    /**
     * Returns the time to the next task.
     *
     * @return the nanoseconds, or {@code Long.MAX_VALUE} if there is no task
     */
    public long nanosToNext() {
        var next = next(Long.MAX_VALUE);
        return next == null ? Long.MAX_VALUE : next.getKey().due - now.get();
    }

    /**
     * Returns how many tasks are still to run.
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
