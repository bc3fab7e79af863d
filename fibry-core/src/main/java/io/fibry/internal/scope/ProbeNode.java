package io.fibry.internal.scope;

import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import org.jspecify.annotations.Nullable;

/** A node that tells when its actor has handled all nodes before it, or will not handle them any more. */
final class ProbeNode extends Signal {
    private @Nullable Probes probes;

    ProbeNode(Probes probes) {
        this.probes = probes;
    }

    @Override
    public void run(Turn turn) {
        turn.skipped();
    }

    /** Called when the node has left the mailbox, for whatever reason. */
    @Override
    public void clear() {
        var mine = probes;
        if (mine != null) {
            probes = null;
            mine.arrived();
        }
    }
}
