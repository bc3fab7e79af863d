package io.fibry.testing;

import io.fibry.function.Body;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.time.ManualTime;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs virtual threads one at a time, and at each point where one of them waits, yields or ends picks the
 * next by a seeded random number: one seed, one schedule. When nothing can go on although threads still
 * wait, that is a hang, found without a time limit.
 *
 * <p>The threads are real ones of the JDK; only what carries them is replaced, through a constructor that
 * the JDK keeps for its own tests. They switch where they block, and at the points that the engine marks for
 * that. What a thread does in between is never interrupted, and one carrier shows no effects of weak memory.
 * The clock, {@link #time}, moves on by itself only if nothing else can run.
 */
public final class SeededScheduler {
    private static final int MAX_STEPS = 50_000;
    private static final long OUTSIDE_PATIENCE_NANOS = Patience.LIMIT.toNanos() / 3;
    /** Chances in percent, one of which a schedule has, that a thread yields at a marked point. */
    private static final int[] YIELDS = {10, 30, 60, 90};
    /** How often in a schedule by priorities the thread that runs gets another one: one in so many. */
    private static final int PRIORITY_LIFE = 4;
    private static final @Nullable Constructor<?> BUILDER = builder();

    private final long seed;
    private final SplittableRandom random;
    private final boolean byPriority;
    private final int yieldPercent;
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final StringBuilder trace = new StringBuilder();
    private final List<Throwable> failures = new ArrayList<>();
    private final Set<Strand> alive = new LinkedHashSet<>();
    private final List<Strand> ready = new ArrayList<>();
    private @Nullable Thread running;
    private int strands;
    private int steps;

    public SeededScheduler(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.byPriority = random.nextBoolean();
        this.yieldPercent = YIELDS[random.nextInt(YIELDS.length)];
    }

    private static @Nullable Constructor<?> builder() {
        try {
            var constructor = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            constructor.setAccessible(true);
            constructor.newInstance((Executor) Runnable::run);
            return constructor;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** Whether this JDK lets us in; it needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}. */
    public static boolean isAvailable() {
        return BUILDER != null;
    }

    /** One thread, and the executor to which it submits its continuation. */
    private final class Strand implements Executor {
        final String name;
        final Thread thread;
        @Nullable Runnable continuation;
        int priority;

        Strand(String name, Body body) {
            this.name = name;
            this.priority = random.nextInt();
            thread = builderFor(this).name("seeded-" + name).inheritInheritableThreadLocals(false)
                    .unstarted(() -> {
                        try {
                            body.run();
                        } catch (Throwable failure) {
                            failures.add(new AssertionError("thread " + name + " failed", failure));
                        } finally {
                            alive.remove(this);
                        }
                    });
        }

        @Override
        public void execute(Runnable task) {
            alive.add(this);
            synchronized (ready) {
                continuation = task;
                ready.add(this);
                ready.notifyAll();
            }
        }
    }

    private static Thread.Builder builderFor(Executor executor) {
        if (BUILDER == null) {
            throw new IllegalStateException("start the JVM with --add-opens java.base/java.lang=ALL-UNNAMED");
        }
        try {
            return (Thread.Builder) BUILDER.newInstance(executor);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts a thread. Called before {@link #run}, or by threads of this scheduler. */
    public Thread spawn(String name, Body body) {
        var thread = unstarted(name, body);
        thread.start();
        return thread;
    }

    /** A thread that runs when it is started. */
    public Thread unstarted(String name, Body body) {
        return new Strand(name, body).thread;
    }

    /** Starts a thread for each task, as fibers do. */
    public Executor executor() {
        return task -> spawn("turn" + strands++, task::run);
    }

    public ManualTime time() {
        return time;
    }

    /** Numbers for the scenario's own choices. */
    public SplittableRandom random() {
        return random;
    }

    /** Lets the others go first, perhaps. Called by threads of this scheduler, and by the engine's hook. */
    public void pause() {
        if (Thread.currentThread() == running && random.nextInt(100) < yieldPercent && mayYield()) {
            Thread.yield();
        }
    }

    /** Not inside a map's atomic step: that holds a monitor, and who waits for one waits outside of us. */
    private static boolean mayYield() {
        return StackWalker.getInstance().walk(frames -> frames
                .noneMatch(f -> f.getClassName().equals("java.util.concurrent.ConcurrentHashMap")));
    }

    /** Runs all threads until none is left. */
    public void run() {
        EngineProbe.interleave(this::pause, executor(), time);
        try {
            while (true) {
                var next = pick();
                if (next != null) {
                    step(next);
                } else if (alive.isEmpty()) {
                    break;
                } else if (time.pending() > 0) {
                    spawn("clock", time::advanceToNext);
                } else {
                    throw new AssertionError("nothing can go on: a hang" + dump());
                }
            }
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

    private void step(Strand strand) {
        steps++;
        if (steps > MAX_STEPS) {
            throw new AssertionError("no end after " + MAX_STEPS + " steps" + dump());
        }
        trace.append(strand.name).append(' ');
        var task = Objects.requireNonNull(strand.continuation);
        running = strand.thread;
        try {
            task.run();
        } finally {
            running = null;
        }
    }

    private @Nullable Strand pick() {
        synchronized (ready) {
            awaitOutside();
            if (ready.isEmpty()) {
                return null;
            }
            return ready.remove(byPriority ? highest() : random.nextInt(ready.size()));
        }
    }

    private int highest() {
        var best = 0;
        for (int i = 1; i < ready.size(); i++) {
            if (ready.get(i).priority > ready.get(best).priority) {
                best = i;
            }
        }
        if (random.nextInt(PRIORITY_LIFE) == 0) {
            ready.get(best).priority = random.nextInt();
            ready.get(random.nextInt(ready.size())).priority = random.nextInt(); // who was last must not stay last
        }
        return best;
    }

    /** A thread that waits for a monitor is made ready by the JVM, soon; one that sleeps, by the JDK. */
    private void awaitOutside() {
        var deadline = System.nanoTime() + OUTSIDE_PATIENCE_NANOS;
        while (ready.isEmpty() && alive.stream().anyMatch(s -> s.thread.getState() != Thread.State.WAITING)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("a thread waits for something outside of this schedule" + dump());
            }
            try {
                ready.wait(1);
            } catch (InterruptedException e) {
                throw new AssertionError("the schedule was interrupted", e);
            }
        }
    }

    /** What happened, as the names of the threads in the order in which they went on. */
    public String trace() {
        return trace.toString();
    }

    private String dump() {
        return " (seed " + seed + ", step " + steps + ")" + alive.stream()
                .map(s -> "\n  " + s.name + " " + s.thread.getState()
                        + Arrays.stream(s.thread.getStackTrace())
                                .map(frame -> "\n      at " + frame).collect(Collectors.joining()))
                .collect(Collectors.joining()) + "\n";
    }
}
