package io.fibry.internal.run;

import java.util.concurrent.Executor;

/** Runs a turn on the sender's thread, but as a fiber the rest of one that has spent its budget, and bodies that receive. */
final class CallerExecutor implements Executor {
    @Override
    public void execute(Runnable turn) {
        if (turn instanceof Job mine && mine.needsThread()) {
            Strategies.FIBER_EXECUTOR.execute(turn);
        } else {
            turn.run();
        }
    }
}
