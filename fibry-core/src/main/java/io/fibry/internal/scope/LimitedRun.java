package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.AskTimeoutException;
import io.fibry.function.Body;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A task that is interrupted if it takes too long. It runs in an actor of its own, on the strategy of the scope. This actor
 * is asked with a time limit and interrupts its handler when that is over. The calling fiber waits for the end of this
 * actor, so two runs never overlap. {@code inner} is the actor, or the last one: its maker sets it before the task runs.
 */
record LimitedRun(Scope scope, Duration limit, Body task, AtomicReference<@Nullable Cell> inner)
        implements
            Body {
    /** Returns whether a run of the task calls. */
    boolean isHappeningHere() {
        var mine = inner.get();
        return mine != null && Current.isInside(mine);
    }

    /** Runs the task once. The failure is read when the actor has ended, and is reported by the caller. */
    private static final class Run implements ReplyHandler<Body, Boolean> {
        private @Nullable Throwable failure;

        @Override
        public Boolean handle(Body task) {
            try {
                task.run();
            } catch (Throwable thrown) {
                failure = thrown;
            }
            return true;
        }
    }

    @Override
    public void run() throws Exception {
        var run = new Run();
        Actor<Body, Boolean> actor;
        try {
            actor = Builder.of(scope.anonymous()).withoutDefaults().interruptOnCancel()
                    .newActorWithReturn(run);
        } catch (IllegalStateException closed) {
            if (scope.isClosing()) {
                return; // the end of the scope ends the schedule
            }
            throw closed;
        }
        inner.set((Cell) actor);
        var isLate = false;
        try {
            actor.ask(task, limit).get();
        } catch (ExecutionException e) {
            isLate = e.getCause() instanceof AskTimeoutException;
            if (!isLate && !scope.isClosing()) {
                throw e; // the task did not run
            }
        } finally {
            actor.askExit();
            actor.waitForExit();
        }
        if (isLate) {
            throw late(run.failure);
        }
        if (run.failure != null) {
            throwAgain(run.failure);
        }
    }

    private TimeoutException late(@Nullable Throwable thrown) {
        var late = new TimeoutException("a scheduled run has taken longer than its limit of "
                + Durations.text(limit.toNanos()) + " and was interrupted");
        if (thrown != null) {
            late.initCause(thrown);
        }
        return late;
    }

    private static void throwAgain(Throwable failure) throws Exception {
        if (failure instanceof Error error) {
            throw error;
        }
        throw failure instanceof Exception exception ? exception : new ExecutionException(failure);
    }
}
