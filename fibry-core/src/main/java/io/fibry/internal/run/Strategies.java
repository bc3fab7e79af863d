package io.fibry.internal.run;

import io.fibry.CreationStrategy;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Placement.Fairness;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The strategies of the library. */
public final class Strategies {
    private static final ThreadFactory FIBERS_FACTORY =
            Thread.ofVirtual().name(Lane.THREAD).inheritInheritableThreadLocals(false).factory();

    private static final long NAMING_KEEP_ALIVE_MILLIS = 20;

    private static final Lanes LANES = lanes();

    /** Runs each task on a fresh virtual thread. */
    public static final Executor FIBER_EXECUTOR = LANES::startFresh;

    private static final Shared ON_FIBERS =
            new Shared("fibers", Placement.onFibers(LANES, CarrierHandoff.INSTANCE), true);

    private static final Shared ON_CALLERS =
            new Shared("caller", new Placement(new CallerExecutor(), Fairness.RESUBMITS, false, true), true);

    /** See {@link CreationStrategy#fibers()}. */
    public static final CreationStrategy FIBERS = ON_FIBERS;

    /** See {@link CreationStrategy#threads()}. */
    public static final CreationStrategy THREADS = new OwnThreads();

    /**
     * See {@link CreationStrategy#caller()}. A job whose budget is spent goes on as a fiber, so that a sender is not
     * held up by what others send.
     */
    public static final CreationStrategy CALLER = ON_CALLERS;

    /**
     * Fibers for the actors of servers, which wait for clients and for actors of their users. They do not count for the
     * limit of their scope: an actor that waited in the place for which another one waits would wait for ever.
     */
    public static final CreationStrategy WAITERS = ON_FIBERS.uncounted();

    private Strategies() {
    }

    /**
     * Creates a thread. One that begins with a job of a named owner has that name from the start, which costs nothing.
     */
    private static Thread newThread(Runnable task) {
        var name = task instanceof Lane lane ? lane.chooseThreadName() : null;
        return name == null
                ? FIBERS_FACTORY.newThread(task)
                : Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false)
                        .unstarted(task);
    }

    private static Lanes lanes() {
        var lanes = new Lanes(Interleave.replaceable(lane -> newThread(lane).start()), SystemTime.INSTANCE,
                !"off".equals(System.getProperty("io.fibry.lanes")), CarrierHandoff.INSTANCE,
                Runtime.getRuntime().availableProcessors());
        return lanes.namedOn(namingThread()).watchedBy(LaneMonitor.cold(lanes, SystemTime.INSTANCE));
    }

    /**
     * Returns an executor on a platform thread, since it may be the carriers that are stuck. The thread ends when there
     * is nothing to name.
     */
    private static Executor namingThread() {
        var executor = new ThreadPoolExecutor(1, 1, NAMING_KEEP_ALIVE_MILLIS, TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-namer")
                        .factory());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Sets what is told of jobs that the monitor of the lanes starts elsewhere. It throws nothing. */
    public static void tell(LaneRecorder told) {
        LANES.tell(told);
    }

    /** Returns how many helpers were sent for jobs that have overflowed. The count begins again after 4 billion. */
    public static long helpers() {
        return LANES.helpers();
    }

    /** Returns how many jobs the monitor of the lanes has started elsewhere. */
    public static long rescued() {
        return LANES.rescued();
    }

    /** Returns a virtual thread that is not a lane and has not been started. */
    public static Thread fiber(Runnable task) {
        return FIBERS_FACTORY.newThread(task);
    }

    /**
     * See {@link CreationStrategy#pool}.
     *
     * @param threads how many
     * @return the strategy
     */
    public static CreationStrategy pool(int threads) {
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
     * @param base where jobs run
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

    /** Tells whether jobs of this strategy count for the number of jobs that may run at a time in a scope. */
    public static boolean isCounted(CreationStrategy strategy) {
        return !(strategy instanceof Shared shared) || shared.isCounted;
    }

    /** Returns the strategy that this value of the system property {@code io.fibry.strategy} names. */
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

    private record Shared(String name, Placement placement, boolean isCounted) implements Placement.Known {
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
            return new OwnThread(actor);
        }

        @Override
        public String toString() {
            return "threads";
        }
    }
}
