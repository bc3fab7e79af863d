package io.fibry.internal.actor;

import io.fibry.HandlerAbandonedException;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A task of an {@link ExecutorView}: the code, and the future of its result. It is an answer of the actor, so a thread
 * that waits for it is seen in a cycle, and the future completes if the actor stops before the task has begun.
 *
 * <pre>
 *   QUEUED -> BEGUN     the turn that runs the task, or a thread that calls {@link #run}
 *   QUEUED -> RETURNED  {@code shutdownNow}: the future stays incomplete, for the caller to run the task or to cancel it
 *   QUEUED -> OVER      a thread that completes the future before the task begins, since the task was cancelled or lost
 *   RETURNED -> BEGUN   a thread that runs what {@code shutdownNow} has returned
 *   BEGUN -> OVER       the thread that has run the task, when its code has ended; or the turn that has abandoned it
 * </pre>
 *
 * <p>The lock of the view guards the state.
 */
final class ExecutorTask<T extends @Nullable Object> extends Answer<T> implements RunnableFuture<T> {
    /** How far a task is. */
    enum State {
        QUEUED, BEGUN, RETURNED, OVER
    }

    final ExecutorView view;
    /** The user's object, which reports show. */
    final Object shown;
    private final Callable<T> code;
    /** Whether a failure of the code is one of the actor, since no future reports it. */
    private final boolean reports;

    // Guarded by the lock of the view.
    State state = State.QUEUED;
    @Nullable Thread runner;
    /** The thread of a turn that has come too late to run the task, and that is about to complete this answer. */
    @Nullable Thread tooLate;

    ExecutorTask(ExecutorView view, Cell actor, Callable<T> code, Object shown, boolean reports) {
        super(actor);
        this.view = view;
        this.code = code;
        this.shown = shown;
        this.reports = reports;
    }

    /**
     * Runs the task as the code of a node, for which the turn has registered this answer. The future is complete when the
     * view is told of the end, so after a termination all futures are complete.
     */
    @Nullable Object runInTurn() throws Exception {
        if (!view.begin(this, true)) {
            return null;
        }
        try {
            if (reports) {
                return code.call();
            }
            callAndComplete(null);
            return null;
        } finally {
            view.end(this);
        }
    }

    /**
     * Runs the task on the calling thread: inside another task, as an {@code ExecutorCompletionService} does, or where the
     * caller of {@code shutdownNow} wants it.
     */
    @Override
    public void run() {
        if (!view.begin(this, false)) {
            return;
        }
        var turn = Current.turn();
        var inside = turn != null && turn.cell.spec.interruptOnCancel ? turn.cell : null;
        try {
            if (inside != null) {
                forwardTo(inside);
                if (!inside.beginAnswer(this)) {
                    return; // cancelled at the last moment
                }
            }
            callAndComplete(inside);
        } finally {
            view.end(this);
        }
    }

    /** Completes this answer with the result of the code; {@code inside} is the actor whose interrupts end before that. */
    private void callAndComplete(@Nullable Cell inside) {
        T result;
        try {
            result = code.call();
        } catch (Throwable failure) {
            endIn(inside);
            failWith(failure);
            return;
        }
        endIn(inside);
        succeed(result);
    }

    private void endIn(@Nullable Cell inside) {
        if (inside != null) {
            inside.endAnswer(this);
        }
    }

    /** Returns whether the actor has gone on without the thread that runs the task. Called when the future is complete. */
    boolean wasAbandoned() {
        return state() == Future.State.FAILED && exceptionNow() instanceof HandlerAbandonedException;
    }

    @Override
    boolean decide() {
        return view.mayComplete(this);
    }

    @Override
    void settled() {
        view.settled(this);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        var isCancelled = super.cancel(mayInterruptIfRunning);
        if (isCancelled && mayInterruptIfRunning) {
            interrupt();
        }
        return isCancelled;
    }

    /** Does nothing: only {@link #cancel} knows whether to interrupt. */
    @Override
    void cancelled() {
    }

    /** Interrupts the code, if it runs and the actor was built for that. */
    void interrupt() {
        super.cancelled();
    }

    /** Returns what {@code shutdownNow} returns for this task: the object that the user has given, or this future. */
    Runnable asReturned() {
        return reports && shown instanceof Runnable given ? given : this;
    }

    @Override
    public String toString() {
        return "ExecutorTask[" + shown + ", of actor '" + target().name() + "', " + state() + "]";
    }
}
