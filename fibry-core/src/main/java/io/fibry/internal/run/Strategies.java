package io.fibry.internal.run;

import io.fibry.CreationStrategy;
import io.fibry.PoolStrategy;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Placement.Fairness;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The strategies that come with the library. */
public final class Strategies {
    private static final ThreadFactory FIBERS_FACTORY =
            Thread.ofVirtual().name(Lane.THREAD).inheritInheritableThreadLocals(false).factory();

    private static final long NAMING_KEEP_ALIVE_MILLIS = 20;

    private static final Lanes LANES = lanes();

    /** A fresh virtual thread for each task. */
    public static final Executor FIBER_EXECUTOR = LANES::startFresh;

    /** The same for tasks that start one another: now and then one gives its carrier away before it begins. */
    public static final Executor FIBER_CHAIN = LANES;

    private static final Shared ON_FIBERS =
            new Shared("fibers", new Placement(LANES, Fairness.RELAYS, false, false), true);

    private static final Shared ON_CALLERS =
            new Shared("caller", new Placement(new CallerExecutor(), Fairness.RESUBMITS, false, true), true);

    /** See {@link CreationStrategy#fibers()}. */
    public static final CreationStrategy FIBERS = ON_FIBERS;

    /** See {@link CreationStrategy#threads()}. */
    public static final CreationStrategy THREADS = new OwnThreads();

    /**
     * See {@link CreationStrategy#caller()}. A turn whose budget is spent goes on as a fiber, so that a
     * sender is not kept by what others send.
     */
    public static final CreationStrategy CALLER = ON_CALLERS;

    /**
     * Fibers for the actors of servers, which wait for clients and for actors of their users. They have a place to run
     * whatever limit their scope has: who waits in the place that is waited for waits for ever.
     */
    public static final CreationStrategy WAITERS = ON_FIBERS.uncounted();

    /** The same on the thread that makes the actor. */
    public static final CreationStrategy WAITERS_HERE = ON_CALLERS.uncounted();

    private Strategies() {
    }

    /** What begins with a turn of an actor that has a name has its name: it costs nothing to give it one at once. */
    private static Thread named(Runnable task) {
        var name = task instanceof Lane lane ? lane.chooseThreadName() : null;
        return name == null
                ? FIBERS_FACTORY.newThread(task)
                : Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false)
                        .unstarted(task);
    }

    private static Lanes lanes() {
        var lanes = new Lanes(lane -> {
            if (!Interleave.tryExecute(lane)) {
                named(lane).start();
            }
        }, SystemTime.INSTANCE, !"off".equals(System.getProperty("io.fibry.lanes")), Fairness.RELAYS,
                Runtime.getRuntime().availableProcessors());
        return lanes.namedOn(namingThread()).watchedBy(LaneMonitor.cold(lanes, SystemTime.INSTANCE));
    }

    /** A platform thread, since the carriers may be what is stuck. It ends when there is nothing to name. */
    private static Executor namingThread() {
        var executor = new ThreadPoolExecutor(1, 1, NAMING_KEEP_ALIVE_MILLIS, TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-namer")
                        .factory());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** A virtual thread that is no lane, not started. */
    public static Thread fiber(Runnable task) {
        return FIBERS_FACTORY.newThread(task);
    }

    /**
     * See {@link CreationStrategy#pool}.
     *
     * @param threads how many
     * @return the strategy
     */
    public static PoolStrategy pool(int threads) {
        return new Pool(threads);
    }

    /**
     * See {@link CreationStrategy#of}.
     *
     * @param executor the executor
     * @return the strategy
     */
    public static CreationStrategy of(Executor executor) {
        Objects.requireNonNull(executor, "executor");
        return new Shared("of(" + executor + ")", new Placement(executor, Fairness.RESUBMITS, false, true),
                true);
    }

    /**
     * See {@link CreationStrategy#limited}.
     *
     * @param base where turns run
     * @param running how many at a time
     * @return the strategy
     */
    public static CreationStrategy limited(CreationStrategy base, int running) {
        Objects.requireNonNull(base, "base");
        if (running < 1) {
            throw new IllegalArgumentException("running must be at least 1: " + running);
        }
        return new LimitedStrategy(base, new RunningLimit(running));
    }

    /** Whether turns there count for how many may run at a time in a scope. */
    public static boolean counts(CreationStrategy strategy) {
        return !(strategy instanceof Shared shared) || shared.counts;
    }

    /** What the system property {@code io.fibry.strategy} names. */
    public static CreationStrategy byName(String name) {
        return switch (name) {
            case "fibers" -> FIBERS;
            case "threads" -> THREADS;
            case "caller" -> CALLER;
            case "pool" -> pool(Runtime.getRuntime().availableProcessors());
            default -> throw new IllegalArgumentException("the system property io.fibry.strategy is '" + name
                    + "'; it can be fibers, threads, caller or pool");
        };
    }

    private record Shared(String name, Placement placement, boolean counts) implements Placement.Known {
        Shared uncounted() {
            return new Shared(name, placement, false);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final class OwnThreads implements Placement.Known {
        private static final Placement PLACEMENT = new Placement(null, Fairness.PREEMPTED, false, false);

        @Override
        public Placement placement() {
            return PLACEMENT;
        }

        @Override
        public Executor executorFor(String actor) {
            return OwnThread.start(actor);
        }

        @Override
        public String toString() {
            return "threads";
        }
    }
}
