package io.fibry.internal.memory;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Marks the places of the code where a step of another thread in between makes a difference. A seeded schedule switches
 * threads at these marks. A mark is an assertion, {@code assert Interleave.here()}, which never fails. So a JVM that
 * runs without assertions, as programs do, never calls it: marks are not on the way of a message. Tests start the JVM
 * with assertions ({@code -ea}) and with the system property {@code io.fibry.interleave} set to true.
 */
public final class Interleave {
    private static final boolean ON = Boolean.getBoolean("io.fibry.interleave");
    /** Set by tests alone. */
    private static volatile Runnable hook = () -> {
    };
    /** Set by tests alone. */
    private static volatile @Nullable Executor fibers;

    private Interleave() {
    }

    /** Lets a seeded schedule switch to another thread; always returns true. */
    public static boolean here() {
        if (ON) {
            hook.run();
        }
        return true;
    }

    /**
     * Hands a task to the executor of the test instead of a fiber, if a test has set one; returns false otherwise.
     */
    public static boolean tryExecute(Runnable task) {
        if (!ON) {
            return false;
        }
        var executor = fibers;
        if (executor == null) {
            return false;
        }
        executor.execute(task);
        return true;
    }

    /** Returns this starter of fibers. Where tests may replace it, what is returned tries {@link #tryExecute} first. */
    public static Executor replaceable(Executor starter) {
        return !ON ? starter : task -> {
            if (!tryExecute(task)) {
                starter.execute(task);
            }
        };
    }

    /** Sets, for tests, the executor that runs the engine's own fibers; null to run them as programs do. */
    public static void fibers(@Nullable Executor newFibers) {
        fibers = newFibers;
    }

    /** Tells whether a test runs the engine's own fibers now. */
    public static boolean runsFibers() {
        return ON && fibers != null;
    }

    /** Tells whether tests may replace the clock and the threads of the engine. */
    public static boolean isOn() {
        return ON;
    }

    /** Sets, for tests, what runs at each mark. */
    public static void hook(Runnable newHook) {
        if (!ON) {
            throw new IllegalStateException(
                    "interleaving is off: start the JVM with -Dio.fibry.interleave=true");
        }
        if (!Interleave.class.desiredAssertionStatus()) {
            throw new IllegalStateException(
                    "the marks are off, so a seed would explore nothing: start the JVM with -ea");
        }
        hook = newHook;
    }
}
