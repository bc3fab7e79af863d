package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ScopeBuilder;
import io.fibry.function.Body;
import io.fibry.internal.engine.ScheduledEngine;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** Real threads that pause at random, for a JVM that lets no seed decide. */
final class PerturbedSchedule implements PlayedSchedule {
    private static final Duration LOOK = Duration.ofMillis(1);
    /** How long a thread that sleeps, or waits with a limit of the JDK, holds up the clock. */
    private static final Duration LIMITED = Duration.ofMillis(10);
    /** How long a program may take while the clock stands: on a busy machine each move may take long. */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** So many moves count: a timer may move the clock for ever. */
    private static final int MOST_MOVES = 2_000;
    private static final int MOST_YIELDS = 50;

    private final long seed;
    private final String reason;
    private final Random random;
    private final ManualTime time = new ManualTime();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    /** The thread that plays, and those that wait for the others or move the clock themselves. */
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();
    /** Those that have held up the clock in a wait with a limit, and have passed no mark since. */
    private final Set<Thread> heldUp = ConcurrentHashMap.newKeySet();
    /** How many marks the others have passed. */
    private final AtomicLong marks = new AtomicLong();
    /** Held while the clock moves, so that nothing is quiet before all timers of one moment have fired. */
    private final ReentrantLock moving = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private Optional<ActorScope> scope = Optional.empty();

    PerturbedSchedule(long seed, String reason) {
        this.seed = seed;
        this.reason = reason;
        random = new Random(seed); // several threads may use it at a time
    }

    @Override
    public void play(Body program, String replay) {
        Schedules.ENGINE.lock();
        var isMarked = ScheduledEngine.isPossible();
        try {
            Schedules.played = Optional.of(this);
            if (isMarked) {
                ScheduledEngine.mark(this::pause);
            }
            var stuck = runAll(program);
            var found = List.copyOf(failures);
            if (!found.isEmpty() || stuck.isPresent()) {
                endAll();
                throw ScheduleFailedError.of(seed, found, stuck.orElse(""),
                        "the seed does not replay it, since the schedule was not controlled: " + reason);
            }
        } finally {
            Schedules.played = Optional.empty();
            if (isMarked) {
                ScheduledEngine.end();
            }
            Schedules.ENGINE.unlock();
        }
    }

    /** Runs the program and closes its scope; returns what does not end. */
    private Optional<String> runAll(Body program) {
        try {
            waiting.add(Thread.currentThread());
            start("test", program);
            var stuck = runThreads();
            if (stuck.isEmpty() && openScope().isPresent()) {
                start("closing", openScope().get()::close);
                stuck = runThreads();
            }
            return stuck;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("the thread that runs the schedule was interrupted");
        } catch (RuntimeException | Error failure) { // the clock's, or that of one of its tasks
            failures.add(failure);
            return Optional.empty();
        }
    }

    /** Waits for the threads, one after another, and moves the clock when none can go on. */
    private Optional<String> runThreads() throws InterruptedException {
        var begin = System.nanoTime();
        var seen = time.nanoTime();
        var moves = 0;
        // A thread starts others before it ends, so none is missed.
        for (var thread = threads.peek(); thread != null; thread = threads.peek()) {
            if (time.nanoTime() != seen && moves++ < MOST_MOVES) { // the threads move it, too
                seen = time.nanoTime();
                begin = System.nanoTime();
            }
            var state = thread.getState();
            if (state == Thread.State.TERMINATED) {
                threads.remove(thread);
            } else if (System.nanoTime() - begin > LIMIT_NANOS) {
                return Optional.of("no end after " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS)
                        + " s: thread '" + thread.getName() + "' is " + state + "\n"
                        + ActorSystem.root().dump().text());
            } else if (!(isQuiet(Set.of()) && waiting.size() == 1 && moveToNext())
                    && state != Thread.State.NEW) {
                thread.join(LOOK);
            }
        }
        return Optional.empty();
    }

    private boolean moveToNext() {
        moving.lock();
        try {
            return time.advanceToNext();
        } finally {
            moving.unlock();
        }
    }

    /** Looks twice, with no mark between, since the JDK does not show all threads at one moment. */
    private boolean isQuiet(Set<Thread> ignored) throws InterruptedException {
        var before = marks.get();
        var states = states(ignored);
        if (states.containsValue(Thread.State.RUNNABLE)) {
            return false;
        }
        states.values().retainAll(Set.of(Thread.State.TIMED_WAITING, Thread.State.BLOCKED));
        if (!heldUp.containsAll(states.keySet())) {
            Thread.sleep(LIMITED);
        }
        time.awaitRest();
        if (Thread.interrupted()) { // then it has not waited
            throw new InterruptedException();
        }
        // A task of the clock may ask, too; it is not to wait for itself.
        var isMoving = moving.isLocked() && !moving.isHeldByCurrentThread();
        if (isMoving || states(ignored).containsValue(Thread.State.RUNNABLE) || marks.get() != before) {
            return false;
        }
        heldUp.addAll(states.keySet());
        return true;
    }

    private Map<Thread, Thread.State> states(Set<Thread> ignored) {
        // One that waits for quiet goes on by itself; it is asked for its state last, since it may be about to.
        return threads.stream().filter(each -> !ignored.contains(each)).collect(Collectors.toMap(each -> each,
                each -> waiting.contains(each) ? Thread.State.RUNNABLE : each.getState()));
    }

    /** Ends what is left of a program that has failed, as far as an interrupt does. */
    private void endAll() {
        threads.forEach(Thread::interrupt);
        openScope().ifPresent(open -> start("closing", () -> open.stop(Duration.ZERO)));
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public boolean isControlled() {
        return false;
    }

    @Override
    public ActorScope scope() {
        lock.lock();
        try {
            if (scope.isEmpty()) {
                scope = Optional.of(configure("test").open());
            }
            return scope.get();
        } finally {
            lock.unlock();
        }
    }

    private Optional<ActorScope> openScope() {
        lock.lock();
        try {
            return scope;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ScopeBuilder configure(String name) {
        return ActorSystem.configure(name).time(time).random(new Random(seed));
    }

    @Override
    public ManualTime time() {
        return time;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Thread start(String name, Body body) {
        var code = noting(Objects.requireNonNull(body, "body"));
        var thread = Thread.ofVirtual().name(Objects.requireNonNull(name, "name")).unstarted(code);
        threads.add(thread); // before it looks whether it is one of them
        thread.start();
        return thread;
    }

    private Runnable noting(Body body) {
        return () -> {
            try {
                body.run();
            } catch (Throwable failure) {
                failures.add(failure);
            }
        };
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
    public void pause() {
        if (!waiting.contains(Thread.currentThread())) {
            marks.incrementAndGet();
            heldUp.remove(Thread.currentThread());
        }
        // It never parks: a thread that does looks as if it could not go on.
        var chance = ThreadLocalRandom.current().nextInt(10);
        var yields = chance == 0 ? ThreadLocalRandom.current().nextInt(MOST_YIELDS) : 4 - chance;
        for (int i = 0; i < yields; i++) {
            Thread.yield();
        }
    }

    @Override
    public <T> T paused(Class<T> type, T object) {
        return PausedView.of(this, type, object);
    }

    @Override
    public void move(Duration duration) {
        var isNew = waiting.add(Thread.currentThread()); // false in a task of the clock
        moving.lock();
        try {
            time.advance(duration);
        } finally {
            moving.unlock();
            if (isNew) {
                waiting.remove(Thread.currentThread());
            }
        }
    }

    @Override
    public void awaitQuiet() throws InterruptedException {
        var isNew = waiting.add(Thread.currentThread());
        try {
            while (!isQuiet(waiting)) {
                Thread.sleep(LOOK);
            }
        } finally {
            if (isNew) {
                waiting.remove(Thread.currentThread());
            }
        }
    }

    @Override
    public boolean isOnItsThread() {
        return threads.contains(Thread.currentThread());
    }

    @Override
    public String toString() {
        return "TestSchedule[seed: " + seed + ", not controlled]";
    }
}
