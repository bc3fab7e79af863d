package io.fibry.internal.scenario;

import io.fibry.function.Body;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.test.threads.SeededThreads;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * Runs a scenario on the threads of the test kit: one seed, one schedule. The clock, {@link #time}, moves on by itself only if nothing
 * else can run.
 */
public final class SeededScheduler {
    private static final int MAX_STEPS = 50_000;

    private final long seed;
    /** The names at the first step: a handler's thread may get that of its actor. */
    private final Map<Thread, String> names = new IdentityHashMap<>();
    private final StringBuilder trace = new StringBuilder();
    private final SeededThreads threads;
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final List<Throwable> failures = new ArrayList<>();
    private int tasks;

    public SeededScheduler(long seed) {
        this.seed = seed;
        threads = new SeededThreads(seed, MAX_STEPS, thread -> trace
                .append(names.computeIfAbsent(thread, Thread::getName)).append(' '));
    }

    /** Whether this JDK lets us in; it needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}. */
    public static boolean isAvailable() {
        return SeededThreads.isPossible();
    }

    /** Starts a thread. Called before {@link #run}, or by threads of this scheduler. */
    public Thread spawn(String name, Body body) {
        return threads.start(name, guarded(name, body));
    }

    /** A thread that runs when it is started. */
    public Thread unstarted(String name, Body body) {
        return threads.unstarted(name, guarded(name, body));
    }

    private Runnable guarded(String name, Body body) {
        return SeededThreads.guarded(body,
                failure -> failures.add(new AssertionError("thread " + name + " failed", failure)));
    }

    /** Starts a thread for each task, as fibers do. */
    public Executor executor() {
        return task -> spawn("task" + tasks++, task::run);
    }

    public ManualTime time() {
        return time;
    }

    /** Numbers for the scenario's own choices. */
    public SplittableRandom random() {
        return threads.random();
    }

    /** Lets the others go first, perhaps. Called by threads of this scheduler, and by the engine's hook. */
    public void pause() {
        threads.pause();
    }

    /** Runs all threads until none is left. */
    public void run() {
        EngineProbe.interleave(this::pause, executor(), time);
        try {
            threads.run(this::moveClock).ifPresent(reason -> {
                throw new AssertionError("seed " + seed + ": " + reason + "; "
                        + threads.describe(Integer.MAX_VALUE, frame -> true) + "\n");
            });
        } finally {
            EngineProbe.stopInterleaving();
        }
        if (!failures.isEmpty()) {
            var first = new AssertionError("seed " + seed + ": " + failures.getFirst().getMessage(),
                    failures.getFirst().getCause());
            failures.stream().skip(1).forEach(first::addSuppressed);
            throw first;
        }
    }

    private boolean moveClock() {
        if (time.pending() == 0) {
            return false;
        }
        threads.countMove();
        spawn("clock", time::advanceToNext);
        return true;
    }

    /** What happened, as the names of the threads in the order in which they went on. */
    public String trace() {
        return trace.toString();
    }
}
