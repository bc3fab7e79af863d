package io.fibry.internal.run;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** A monitor of lanes whose looks a seeded schedule decides: a thread of it, as long as there is something to see. */
public final class SteppedMonitor {
    private final Lanes lanes;
    private final Executor threads;
    private final Runnable beforeAndAfter;
    private final AtomicBoolean watching = new AtomicBoolean();

    public SteppedMonitor(Lanes lanes, Executor threads, Runnable beforeAndAfter) {
        this.lanes = lanes;
        this.threads = threads;
        this.beforeAndAfter = beforeAndAfter;
    }

    public void watch() {
        if (watching.compareAndSet(false, true)) {
            threads.execute(this::work);
        }
    }

    private boolean look() {
        beforeAndAfter.run();
        var busy = lanes.look();
        beforeAndAfter.run();
        return busy;
    }

    private void work() {
        while (true) {
            if (!look()) {
                watching.set(false);
                if (!look() || !watching.compareAndSet(false, true)) {
                    return;
                }
            }
        }
    }
}
