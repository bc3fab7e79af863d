package io.fibry.internal.cycles;

import io.fibry.AskCycleException;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Waiting;
import java.util.ArrayList;
import java.util.List;

/**
 * A cycle of waits that lasts for ever, unless one of the waits ends.
 *
 * @param self the actor that has closed it
 * @param edges the waits
 * @param text the description
 */
public record WaitCycle(Cell self, List<Waiting> edges, String text) {
    AskCycleException refusal() {
        return new AskCycleException(text, names());
    }

    List<String> names() {
        var names = new ArrayList<String>();
        names.add(self.name());
        for (var edge : edges) {
            var name = edge.target().name();
            if (!names.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** Ends one of the waits, if there is one that gives way; returns false if there is none. */
    boolean givesWay() {
        for (var edge : edges) {
            if (edge.mayGiveWay() && edge.giveWay(refusal())) {
                return true;
            }
        }
        return false;
    }
}
