package io.fibry.internal.clock;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/** Makes threads of which the first one cannot be started, as if there were no memory for it. */
final class FirstThreadFails implements ThreadFactory {
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    @Override
    public Thread newThread(Runnable task) {
        return hasFailed.getAndSet(true) ? Thread.ofPlatform().unstarted(task) : new Thread(task) {
            @Override
            public void start() {
                throw new OutOfMemoryError("no thread, on purpose");
            }
        };
    }
}
