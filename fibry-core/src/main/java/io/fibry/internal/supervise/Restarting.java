package io.fibry.internal.supervise;

import io.fibry.FailurePolicy.Restart;
import io.fibry.event.Restarted;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Recovery;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Turn;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The restart of an actor, on its turn: what was is cleared away, then comes the pause, if there is one, then the
 * handler is made anew. Messages stay where they are.
 *
 * @param cause what the actor failed with
 * @param policy what has decided for a restart
 * @param atStart whether it was the start that failed: it is then not tried again by the same turn, which would keep
 *        its thread from others
 * @param failedAt when it failed
 * @param pausedSince when the pause began, if it has had it
 */
public record Restarting(Throwable cause, Restart policy, boolean atStart, long failedAt,
        @Nullable Long pausedSince) implements Recovery {
    /** Restarts the actor; false if what follows is for a later turn. */
    @Override
    public boolean run(Turn turn) {
        var cell = turn.cell;
        var supervision = SupervisionState.of(turn);
        var pauseNanos = 0L;
        if (pausedSince != null) {
            pauseNanos = cell.spec().scope().time().nanoTime() - pausedSince;
            supervision.addPause(pauseNanos);
        } else {
            Thread.interrupted(); // first clear, then look, as before each message
            if (cell.exitRequested()) {
                return true;
            }
            var pause = supervision.restartAfter(policy, failedAt, cell.spec().scope().random());
            if (pause.isEmpty()) {
                supervision.escalate(cell, cause);
                return true;
            }
            clearAway(turn);
            if (pause.getAsLong() > 0 || atStart) {
                turn.pause(
                        new Restarting(cause, policy, atStart, failedAt,
                                cell.spec().scope().time().nanoTime()),
                        pause.getAsLong());
                return false;
            }
        }
        return begins(turn, supervision, pauseNanos);
    }

    /** What belonged to the handler that has failed ends with it. */
    private static void clearAway(Turn turn) {
        var companion = turn.extendedState();
        if (companion.timers != null) {
            companion.timers.cancelAll();
        }
        var supervision = turn.cell.supervision();
        supervision.stopChildren(turn.cell, null);
        supervision.unwatchAll();
        Termination.runHook(turn.cell, new ClosingHook(turn.behavior::dispose));
    }

    private boolean begins(Turn turn, SupervisionState supervision, long pauseNanos) {
        var cell = turn.cell;
        Thread.interrupted();
        if (cell.exitRequested()) {
            return true;
        }
        supervision.beginAttempt(cell);
        @Nullable Node first;
        try {
            turn.requireNotRefused();
            first = turn.behavior.begin(turn);
        } catch (Throwable failure) {
            turn.startFailed(failure);
            return true;
        }
        var restarts = supervision.countRestart(cell.spec().scope().time().nanoTime());
        var events = cell.spec().scope().events();
        if (events.hasListeners()) {
            events.lifecycle(new Restarted(cell.name(), restarts, cause, Duration.ofNanos(pauseNanos)));
        }
        if (first != null) {
            first.handle(turn);
        }
        return true;
    }
}
