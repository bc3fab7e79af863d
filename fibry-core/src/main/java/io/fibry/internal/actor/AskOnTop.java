package io.fibry.internal.actor;

import io.fibry.internal.report.Events;
import io.fibry.internal.run.Lane;
import org.jspecify.annotations.Nullable;

/** Runs an asked actor on the stack of the one that asks, where that is a lane which would run it next. */
public final class AskOnTop {
    private static final int MAX_NESTED = 32;

    private AskOnTop() {
    }

    /**
     * The current actor waits for this answer: if the actor that is to give it is next on the lane, it runs here and now,
     * on top. No other actor does: one that got stuck here would hold up the one that waits below.
     *
     * <p>That closes no circle, so nobody looks for one: the actor on top was idle, and waits for nobody. Once it does, it
     * publishes that by a full fence, and this edge, which comes before, with it.
     */
    static void run(Lane lane, Answer<?> answer) {
        var waiting = Current.turnOn(lane);
        if (waiting != null && fits((Turn) lane.slot(), answer) && !waiting.cell.spec().ownStack()
                && waiting.depth() < MAX_NESTED) {
            var edges = waiting.cell.extendedState(); // before anything is taken: it may have to be made
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
     * A receiving actor may have answered and still wait for more, which nobody could send from below it; one that
     * abandons stuck handlers is waited for by nobody's stack. What a listener causes is not told to listeners: that is for
     * what it does itself, not for whom it asks.
     */
    private static boolean fits(@Nullable Turn next, Answer<?> answer) {
        // mutant: lane-runs-any-actor-on-top
        return next != null && next.cell == answer.target() && next.cell.spec().mayRunOnTop()
                && !Events.isListening();
    }
}
