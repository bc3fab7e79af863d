package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ScopeBuilder;
import io.fibry.function.Body;
import io.fibry.internal.engine.ScheduledEngine;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/** Real threads that pause at random, for a JVM that lets no seed decide. */
final class PerturbedSchedule implements PlayedSchedule {
    private static final Duration LOOK = Duration.ofMillis(1);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int MOST_PAUSE_NANOS = 50_000;

    private final long seed;
    private final String reason;
    private final Random random;
    private final ManualTime time = new ManualTime();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
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
            if (isMarked) {
                ScheduledEngine.mark(this::pause);
            }
            var stuck = runAll(program);
            if (!failures.isEmpty() || stuck.isPresent()) {
                throw ScheduleFailedError.of(seed, List.copyOf(failures), stuck.orElse(""),
                        "the seed does not replay it, since the schedule was not controlled: " + reason);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ScheduleFailedError.of(seed, List.of(e), "",
                    "the thread that ran the schedule was interrupted");
        } finally {
            if (isMarked) {
                ScheduledEngine.end();
            }
            Schedules.ENGINE.unlock();
        }
    }

    /** Waits for the threads, one after another, and closes the scope; returns what does not end. */
    private Optional<String> runAll(Body program) throws InterruptedException {
        start("test", program);
        var begin = System.nanoTime();
        // A thread starts others before it ends, so none is missed.
        for (var thread = threads.poll(); thread != null; thread = threads.poll()) {
            while (!thread.join(LOOK)) {
                if (System.nanoTime() - begin > LIMIT_NANOS) {
                    return Optional.of(giveUp(thread));
                }
                if (thread.getState() == Thread.State.WAITING) {
                    time.advanceToNext();
                }
            }
        }
        openScope().ifPresent(ActorScope::close);
        return Optional.empty();
    }

    private String giveUp(Thread endless) {
        var text = "no end after " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS) + " s: thread '"
                + endless.getName() + "' is "
                + endless.getState() + "\n" + ActorSystem.root().dump().text();
        endless.interrupt();
        threads.forEach(Thread::interrupt);
        openScope().ifPresent(open -> open.stop(Duration.ZERO));
        return text;
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
        return ActorSystem.configure(name).time(time).random(new SplittableRandom(seed));
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
        var thread = Thread.ofVirtual().name(Objects.requireNonNull(name, "name")).start(code);
        threads.add(thread); // once it is started: no thread can be joined before
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
        var chance = ThreadLocalRandom.current().nextInt(10);
        if (chance == 0) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(MOST_PAUSE_NANOS));
        } else if (chance < 4) {
            Thread.yield();
        }
    }

    @Override
    public <T> T paused(Class<T> type, T object) {
        return PausedView.of(this, type, object);
    }

    @Override
    public void advance(Duration duration) {
        time.advance(duration);
    }

    @Override
    public void awaitQuiet() {
        time.awaitRest();
    }

    @Override
    public String toString() {
        return "TestSchedule[seed: " + seed + ", not controlled]";
    }
}
