package io.fibry.internal;

import java.util.concurrent.Executor;

/** Runs a turn on the sender's thread, but the rest of a turn that has spent its budget as a fiber. */
final class CallerExecutor implements Executor {
    @Override
    public void execute(Runnable turn) {
        if (turn instanceof Turn rest && rest.isRest()) {
            Strategies.FIBER_EXECUTOR.execute(turn);
        } else {
            turn.run();
        }
    }
}
