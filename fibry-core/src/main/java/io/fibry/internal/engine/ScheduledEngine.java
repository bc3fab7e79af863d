package io.fibry.internal.engine;

import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Placement;
import io.fibry.internal.scope.DefaultsReset;
import io.fibry.time.TimeSource;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The engine under a schedule of the test kit, which decides what runs next. One schedule at a time has the engine of a
 * JVM. Actors that were made before it are no part of it, and the root scope keeps the system's clock.
 */
public final class ScheduledEngine {
    private ScheduledEngine() {
    }

    /**
     * Tells whether the marks of the engine are on: the JVM has assertions, and the system property {@code io.fibry.interleave}
     * was set before the engine was first used.
     */
    public static boolean isPossible() {
        return Interleave.isOn() && ScheduledEngine.class.desiredAssertionStatus();
    }

    /**
     * Begins a schedule.
     *
     * @param mark what runs at each mark of the engine
     * @param threads what runs the engine's own tasks
     * @param time the clock of scopes that are opened from now on
     */
    public static void begin(Runnable mark, Executor threads, TimeSource time) {
        Interleave.hook(mark);
        SystemTime.standIn(time);
        Interleave.fibers(threads);
    }

    /**
     * Lets the schedule run actors as well, in place of the library's strategies.
     *
     * @param threads what runs the actors made from now on
     */
    public static void runActorsOn(Executor threads) {
        place(threads);
    }

    /** The root scope keeps what its actors have in common, also where they run. */
    private static void place(@Nullable Executor threads) {
        Placement.standIn(threads);
        new DefaultsReset(RootScope.root()).run();
    }

    /**
     * Runs code at each mark of the engine, and changes nothing else.
     *
     * @param mark the code
     */
    public static void mark(Runnable mark) {
        Interleave.hook(mark);
    }

    /** Ends a schedule. */
    public static void end() {
        Interleave.hook(() -> {
        });
        Interleave.fibers(null);
        place(null);
        SystemTime.standIn(null);
    }
}
