package io.fibry.internal.actor;

import io.fibry.internal.report.Events;
import io.fibry.internal.run.Lane;
import org.jspecify.annotations.Nullable;

/**
 * Runs an asked actor on the stack of the actor that asks, if that one is on a lane which would run the asked
 * actor next.
 */
public final class AskOnTop {
    private AskOnTop() {
    }

    /**
     * Runs the actor that is to give this answer, if it is next on the lane, on top of the current actor,
     * which waits for the answer. No other actor is run here: if it got stuck, it would hold up the actor
     * that waits below.
     *
     * <p>The edge that this publishes closes no cycle, so none is searched for: the actor on top was idle,
     * and waits for no other. If it begins to wait, it publishes its own edge by a full fence, and with it
     * this edge, which was written before.
     */
    static void run(Lane lane, Answer<?> answer) {
        var waiting = Current.turnOn(lane);
        if (waiting != null && fits((Turn) lane.slot(), answer) && !waiting.cell.spec.ownStack
                && waiting.depth() < Turn.MAX_NESTED) {
            var edges = waiting.cell.extendedState(); // before the turn is taken: the extended state may have to be made
            var next = (Turn) lane.takeSlot();
            if (next != null) {
                edges.publishEdge(answer);
                try {
                    next.runOnTop(waiting, answer);
                } finally {
                    edges.clearEdge();
                }
            }
        }
    }

    /**
     * Returns whether this turn may run on top. The turn has to owe the answer. A future that was derived from
     * an answer, by {@code thenCompose} for example, may be incomplete after the asked actor has answered. The
     * next messages of that actor may wait for the actor below, so they must not run on its stack. While a
     * turn is in the slot, no other turn of its actor runs. So an answer that is not over is owed by this turn, unless
     * the reply was deferred: then this turn is for other messages.
     *
     * <p>A receiving actor may have answered and still wait for messages which the actor below it could not
     * send. An actor that abandons stuck handlers does not run on the stack of another. What a listener causes
     * itself is not reported to listeners; that must not extend to the actors it asks, so nothing runs on top
     * of a listener.
     */
    private static boolean fits(@Nullable Turn next, Answer<?> answer) {
        // mutant: lane-runs-any-actor-on-top
        return next != null && next.cell == answer.target() && next.cell.spec.mayRunOnTop
                && answer.dependsOnTarget() && !Events.isListening();
    }
}
