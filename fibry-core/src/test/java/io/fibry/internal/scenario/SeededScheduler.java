package io.fibry.internal.scenario;

import io.fibry.function.Body;
import io.fibry.test.threads.SeededEngine;
import io.fibry.test.threads.SeededThreads;
import io.fibry.time.ManualTime;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * A schedule of the test kit for a scenario: it has a limit of steps, keeps a trace, and can be run again when its threads have
 * ended.
 */
public final class SeededScheduler {
    private static final int MAX_STEPS = 80_000;

    private final long seed;
    /** The names at the first step: a handler's thread may get that of its actor. */
    private final Map<Thread, String> names = new IdentityHashMap<>();
    private final StringBuilder trace = new StringBuilder();
    private final SeededThreads threads;
    private final SeededEngine engine;

    public SeededScheduler(long seed) {
        this.seed = seed;
        threads = new SeededThreads(seed, MAX_STEPS, thread -> trace
                .append(names.computeIfAbsent(thread, Thread::getName)).append(' '));
        engine = new SeededEngine(threads);
    }

    /** Whether this JDK lets us in; it needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}. */
    public static boolean isAvailable() {
        return SeededThreads.isPossible();
    }

    /** Starts a thread. Called before {@link #run}, or by threads of this scheduler. */
    public Thread spawn(String name, Body body) {
        return engine.start(name, body);
    }

    /** A thread that runs when it is started. */
    public Thread unstarted(String name, Body body) {
        return engine.unstarted(name, body);
    }

    /** Starts a thread for each task, as fibers do. */
    public Executor executor() {
        return engine.executor();
    }

    /** The clock, which moves on by itself only if nothing else can run. */
    public ManualTime time() {
        return engine.time();
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
        engine.rule(() -> engine.run().ifPresent(reason -> {
            throw new AssertionError("seed " + seed + ": " + reason + "; "
                    + threads.describe(Integer.MAX_VALUE, frame -> true) + "\n");
        }));
        var failures = engine.failures();
        if (!failures.isEmpty()) {
            var first = failed(failures.getFirst());
            failures.stream().skip(1).map(this::failed).forEach(first::addSuppressed);
            throw first;
        }
    }

    private AssertionError failed(SeededEngine.Failure failure) {
        return new AssertionError("seed " + seed + ": thread " + failure.thread() + " failed",
                failure.cause());
    }

    /** What happened, as the names of the threads in the order in which they went on. */
    public String trace() {
        return trace.toString();
    }
}
