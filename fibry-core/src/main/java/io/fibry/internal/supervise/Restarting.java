package io.fibry.internal.supervise;

import io.fibry.FailurePolicy.Restart;
import io.fibry.event.Restarted;
import io.fibry.internal.actor.Behavior.Disposal;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Services.Recovery;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Turn;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The restart of an actor by its turn. First the turn clears away what belonged to the old handler. Then comes the
 * pause, if there is one. Then the turn makes the new handler. Messages stay in the mailbox.
 *
 * @param cause what the actor failed with
 * @param policy the policy that has decided for a restart
 * @param atStart whether the start failed; the same turn then does not try again, since it would keep its thread
 *        from others
 * @param failedAt when it failed
 * @param pausedSince when the pause began; null before the pause
 */
public record Restarting(Throwable cause, Restart policy, boolean atStart, long failedAt,
        @Nullable Long pausedSince) implements Recovery {
    /** Restarts the actor; returns false if a later turn does the rest. */
    @Override
    public boolean run(Turn turn) {
        var cell = turn.cell;
        var supervision = SupervisionState.of(turn);
        var pauseNanos = 0L;
        if (pausedSince != null) {
            pauseNanos = cell.spec().scope().time().nanoTime() - pausedSince;
            supervision.addPause(pauseNanos);
        } else {
            Thread.interrupted(); // clear first, then check, as before each message
            if (cell.exitRequested()) {
                return true;
            }
            var pause = supervision.restartAfter(policy, failedAt, cell.spec().scope().random());
            if (pause.isEmpty()) {
                supervision.escalate(cell, cause);
                return true;
            }
            clearAway(turn, cause);
            if (pause.getAsLong() > 0 || atStart) {
                var later = new Restarting(cause, policy, atStart, failedAt,
                        cell.spec().scope().time().nanoTime());
                supervision.pause(cell, turn.leaveTo(later), pause.getAsLong());
                return false;
            }
        }
        return begins(turn, supervision, pauseNanos);
    }

    /** Ends what belonged to the handler that has failed. */
    private static void clearAway(Turn turn, Throwable cause) {
        var extended = turn.extendedState();
        for (var each : extended.features()) {
            each.restarting(cause);
        }
        var supervision = turn.cell.supervision();
        supervision.stopChildren(turn.cell, null);
        supervision.unwatchAll();
        Termination.runHook(turn.cell, new ClosingHook(new Disposal(turn.behavior)));
    }

    private boolean begins(Turn turn, SupervisionState supervision, long pauseNanos) {
        var cell = turn.cell;
        Thread.interrupted();
        if (cell.exitRequested()) {
            return true;
        }
        supervision.beginAttempt(cell);
        @Nullable Signal first;
        try {
            turn.requireNotRefused();
            first = turn.behavior.begin(turn);
        } catch (Throwable failure) {
            turn.startFailed(failure);
            return true;
        }
        var restarts = supervision.countRestart(cell.spec().scope().time().nanoTime());
        for (var each : cell.extendedState().features()) {
            each.restarted();
        }
        var events = cell.spec().scope().events();
        events.lifecycle(new Restarted(cell.name(), restarts, cause, Duration.ofNanos(pauseNanos)),
                cell.behavior().handlerClass());
        if (first != null) {
            first.run(turn);
        }
        return true;
    }
}
