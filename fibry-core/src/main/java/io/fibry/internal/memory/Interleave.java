package io.fibry.internal.memory;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Marks the places of the code where a step of another thread in between makes a difference. A seeded schedule switches
 * threads at these marks. Unless the system property {@code io.fibry.interleave} is true when the JVM starts, the marks
 * are compiled to nothing.
 */
public final class Interleave {
    private static final boolean ON = Boolean.getBoolean("io.fibry.interleave");
    private static volatile Runnable hook = () -> {
    };
    private static volatile @Nullable Executor fibers;

    private Interleave() {
    }

    public static void here() {
        if (ON) {
            hook.run();
        }
    }

    /**
     * Hands a task to the executor of the test in the place of a fiber, if a test has set one; returns false otherwise.
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

    /** Sets, for tests, the executor that runs the engine's own fibers; null to run them as programs do. */
    public static void fibers(@Nullable Executor newFibers) {
        fibers = newFibers;
    }

    /** Tells whether the marks are in effect, so that seeded schedules can run. */
    public static boolean isOn() {
        return ON;
    }

    /** Sets, for tests, what runs at each mark. */
    public static void hook(Runnable newHook) {
        if (!ON) {
            throw new IllegalStateException(
                    "interleaving is off: start the JVM with -Dio.fibry.interleave=true");
        }
        hook = newHook;
    }
}
