package io.fibry.work;

/** The places at which a seeded schedule may switch threads, for scenarios. */
public final class WorkProbe {
    private WorkProbe() {
    }

    /** Sets what runs at these places. */
    public static void marks(Runnable hook) {
        SwitchPoints.hook(hook);
    }
}
