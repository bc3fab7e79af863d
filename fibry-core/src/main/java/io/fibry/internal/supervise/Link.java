package io.fibry.internal.supervise;

import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Supervision.Watcher;
import org.jspecify.annotations.Nullable;

/** The link of two actors. If one of them fails the other one stops. The link is a watcher of both. */
record Link(Cell one, Cell other) implements Watcher {
    @Override
    public void hear(Cell ended, Stopped how) {
        var left = ended == one ? other : one;
        var mine = SupervisionState.of(left);
        mine.removeWatcher(this);
        if (how.reason().isAbnormal() && !mine.watches(ended)) {
            left.setExitReason(Reason.LINKED);
            left.sendControlAway(new StopNode(Reason.LINKED));
        }
    }

    // The order of the two actors does not matter.

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof Link link
                && ((link.one == one && link.other == other) || (link.one == other && link.other == one));
    }

    @Override
    public int hashCode() {
        return one.hashCode() + other.hashCode();
    }
}
