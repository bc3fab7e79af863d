package io.fibry.internal.run;

import java.util.concurrent.Executor;

/**
 * Runs a job on the thread that starts it. A job that needs a thread of its own ({@link Job#needsThread}) runs as a
 * fiber.
 */
final class CallerExecutor implements Executor {
    @Override
    public void execute(Runnable task) {
        if (task instanceof Job job && job.needsThread()) {
            Strategies.FIBER_EXECUTOR.execute(task);
        } else {
            task.run();
        }
    }
}
