package io.fibry.internal.timer;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.memory.Interleave;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Stops an actor that has been idle for some time. There is one timer, which messages do not touch. When it fires it
 * checks since when the actor has been idle, and is set again for the rest of the time.
 *
 * <p>The turn of the actor decides about the end. It takes a {@link Probe} from the mailbox and closes the mailbox
 * in one atomic step, if the probe is the last node in it. So a message that was accepted before is handled.
 */
public class IdleStop extends Feature implements Runnable {
    /** The shortest time between two looks of the timer at a busy actor. */
    private static final long SHORTEST_NANOS = 1_000_000;

    public final Cell cell;
    private final long quietNanos;
    /**
     * When the actor was about to become idle. Written by the turn, or by a thread that ends a deferred reply
     * before that is listed as over.
     */
    private volatile long idleSince;
    /**
     * Written by the timer, which then reads whether the actor has closed; the terminator closes the actor and
     * then reads this.
     */
    private volatile @Nullable Cancellable pending;

    public IdleStop(Cell cell, long quietNanos) {
        this.cell = cell;
        this.quietNanos = quietNanos;
    }

    /** The layer that stops an actor which has had nothing to do for so many nanoseconds. */
    public record After(long quietNanos) implements Layer {
        @Override
        public void equip(Cell cell) {
            if (!cell.behavior.isBody()) { // a body ends when its code does
                cell.extendedState().add(new IdleStop(cell, quietNanos));
            }
        }
    }

    private TimeSource time() {
        return cell.spec().scope().time();
    }

    @Override
    public void making() {
        begin();
    }

    /** Begins to watch the actor, which is made. */
    public final void begin() {
        idle();
        watch(quietNanos);
    }

    @Override
    public final void idle() {
        idleSince = time().nanoTime();
    }

    /** Checks whether the actor has been idle for long enough. Called by the timer thread, one run after the other. */
    @Override
    public final void run() {
        if (cell.isStopping()) {
            return;
        }
        var finished = cell.finishedSoFar(); // read before isIdle: a message that comes after this read calls the stop off
        assert Interleave.here();
        var again = Math.max(quietNanos, SHORTEST_NANOS);
        var left = cell.isIdle() && !cell.extendedState().owesReplies()
                ? idleSince + quietNanos - time().nanoTime() : again;
        if (left <= 0) {
            stop(finished);
            left = again;
        }
        watch(left);
    }

    /** Stops the actor, which has been idle for long enough. */
    public void stop(long finished) {
        cell.sendControlAway(new Probe(finished));
    }

    private void watch(long nanos) {
        var timer = time().schedule(nanos, this);
        pending = timer;
        assert Interleave.here();
        if (cell.isStopping()) {
            timer.cancel();
        }
    }

    @Override
    public void stopping() {
        var timer = pending;
        if (timer != null) {
            // mutant: timer-of-an-idle-stop-outlives-the-actor
            timer.cancel();
        }
    }

    /** Asks the turn to end the actor if it still has nothing to do. */
    private static final class Probe extends Signal {
        private final long finished;

        Probe(long finished) {
            this.finished = finished;
        }

        @Override
        public void run(Turn turn) {
            var cell = turn.cell;
            // mutant: idle-stop-ignores-work
            if (cell.finishedSoFar() == finished && cell.closeIfLast(turn.last())) {
                cell.extendedState().isMailboxClosed = true;
                assert Interleave.here();
                cell.setExitReason(Reason.IDLE);
            }
            turn.skipped();
        }
    }
}
