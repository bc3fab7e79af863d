package io.fibry.internal;

/** Lets test infrastructure in other packages see and steer the engine. */
public final class EngineProbe {
    private EngineProbe() {
    }

    /** How many timers of the system's clock are set. */
    public static int pendingTimers() {
        return SystemTime.INSTANCE.pending();
    }

    /** How many names of the root scope are taken or waited for. */
    public static int rootFootprint() {
        return Engine.root().footprint();
    }

    /** What runs at the engine's marked points. */
    public static void interleave(Runnable hook) {
        Interleave.hook(hook);
    }
}
