package io.fibry.internal.memory;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Marks the places where another thread coming in between matters. Tests put a yield there; in a program
 * that is not told otherwise at its start the calls are compiled to nothing.
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

    /** For tests: whether one of them runs this task in the place of a fiber. */
    public static boolean takes(Runnable task) {
        if (!ON) {
            return false;
        }
        var mine = fibers;
        if (mine == null) {
            return false;
        }
        mine.execute(task);
        return true;
    }

    /** For tests: where fibers of the engine's own making run; null for where they run in programs. */
    public static void fibers(@Nullable Executor executor) {
        fibers = executor;
    }

    /** Tells whether seeded schedules may run. */
    public static boolean isOn() {
        return ON;
    }

    /** For tests. */
    public static void hook(Runnable newHook) {
        if (!ON) {
            throw new IllegalStateException(
                    "interleaving is off: start the JVM with -Dio.fibry.interleave=true");
        }
        hook = newHook;
    }
}
