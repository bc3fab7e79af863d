package io.fibry.internal.scope;

import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Turn;
import org.jspecify.annotations.Nullable;

/** Tells when an actor has handled what was queued before it, or will not any more. */
final class ProbeNode extends Node {
    private @Nullable Probes probes;

    ProbeNode(Probes probes) {
        this.probes = probes;
    }

    @Override
    public void handle(Turn turn) {
        turn.skipped();
    }

    @Override
    public boolean isControl() {
        return true;
    }

    /** It is not in the mailbox any more, for whatever reason. */
    @Override
    public void clear() {
        var mine = probes;
        if (mine != null) {
            probes = null;
            mine.arrived();
        }
    }
}
