package io.fibry.internal;

/**
 * Marks the places where another thread coming in between matters. Tests put a yield there; in a program
 * that is not told otherwise at its start the calls are compiled to nothing.
 */
final class Interleave {
    private static final boolean ON = Boolean.getBoolean("io.fibry.interleave");
    private static volatile Runnable hook = () -> {
    };

    private Interleave() {
    }

    static void here() {
        if (ON) {
            hook.run();
        }
    }

    /** For tests. */
    static void hook(Runnable newHook) {
        if (!ON) {
            throw new IllegalStateException(
                    "interleaving is off: start the JVM with -Dio.fibry.interleave=true");
        }
        hook = newHook;
    }
}
