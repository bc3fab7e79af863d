package io.fibry.internal.measure;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.signal.Receivable;

/** Measures one actor for its group. */
final class MeasuredActor extends Feature {
    final GroupCounts group;
    /** Whether handlers are timed. What runs as long as the actor lives is not. */
    private final boolean timesRuns;

    // Accessed by the turn only.
    /** Whether the handler that runs is of the sample. */
    private boolean isTimed;
    private long since;

    MeasuredActor(GroupCounts group, boolean timesRuns) {
        this.group = group;
        this.timesRuns = timesRuns;
    }

    @Override
    public boolean observes() {
        return true;
    }

    @Override
    public void before(Turn turn, Object entry) {
        if (entry instanceof Node node) { // a message that has no node is not of the sample
            var measuring = group.measuring;
            var isOfSample = node instanceof Receivable ? measuring.isNextTimed() : waited(node);
            if (isOfSample && timesRuns) {
                isTimed = true;
                since = measuring.nanoTime();
            }
        }
    }

    /** Returns whether the message is of the sample, and tells how long it has waited if it is. */
    private boolean waited(Node node) {
        var carried = node.carried();
        if (carried == null || !carried.isTimed()) {
            return false;
        }
        group.measuring.waited(group, carried.sentAt());
        return true;
    }

    @Override
    public void after() {
        if (isTimed) {
            isTimed = false;
            group.measuring.ran(group, since);
        }
    }

    @Override
    public void lost(Cause cause) {
        group.lose(cause);
    }

    @Override
    public void restarted() {
        group.restart();
    }

    @Override
    public void askTimedOut() {
        group.askTimeout();
    }

    @Override
    public boolean stays() {
        return true; // messages to an actor that has stopped are lost
    }
}
