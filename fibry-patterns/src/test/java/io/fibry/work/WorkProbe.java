package io.fibry.work;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;

/** The places at which a seeded schedule may switch threads, for scenarios. */
public final class WorkProbe {
    private WorkProbe() {
    }

    /** Sets what runs at these places. */
    public static void marks(Runnable hook) {
        SwitchPoints.hook(hook);
    }

    /** Opens a semaphore whose actor has another strategy. */
    public static ActorSemaphore semaphore(ActorScope scope, String name, SemaphoreOptions options,
            CreationStrategy strategy) {
        return LiveSemaphore.open(scope, name, options, strategy);
    }
}
