package io.fibry.internal.cycles;

import io.fibry.AskCycleException;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.actor.Waiting.NestedEdge;
import java.util.HashSet;
import org.jspecify.annotations.Nullable;

/**
 * An ask that fails because its asker is to end, and could not: the asker waits for the actor that waits for its end.
 *
 * @param asker the actor that waits for the answer
 * @param answer the answer; null if the asker did not wait for it any more
 * @param cycle the cycle
 */
record RefusedAsk(Cell asker, @Nullable Answer<?> answer, WaitCycle cycle) {
    /**
     * Takes the first ask that keeps an actor from its end out of the graph of waits, so that no other actor of the cycle is
     * refused as well. Returns null if there is none: the actor waits for something else. The caller has the lock of the graph.
     *
     * @param edge the edge to the actor that is to end, or to the one that waits for that
     */
    static @Nullable RefusedAsk take(Waiting edge, WaitCycle cycle) {
        var cell = edge.target();
        var next = cell.waiting();
        var passed = new HashSet<Waiting>();
        // An actor that waits for the end of another one has no ask of its own. Nor has one on whose stack another one
        // runs. There is no ask at all where actors only stop each other.
        while ((next instanceof EndEdge || next instanceof NestedEdge) && passed.add(next)) {
            cell = next.target();
            next = cell.waiting();
        }
        if (next == null) {
            return new RefusedAsk(cell, null, cycle); // it goes on
        }
        if (!(next instanceof Answer<?> answer) || !answer.origin().mayFail()) {
            return null; // neither the end of an actor nor the fate of a message can fail
        }
        return new RefusedAsk(cell, cell.extendedState().removeEdge(next) ? answer : null, cycle);
    }

    /** Fails the ask. If its message is still queued, it is skipped. */
    void fail() {
        if (answer != null) {
            var text = "the ask of actor '" + asker.name() + "' is given up: " + cycle.text();
            asker.spec.scope.events().askCycle(asker.name(), asker.behavior.handlerClass(), text);
            answer.failAsk(new AskCycleException(text, cycle.names()));
        }
    }
}
