package io.fibry.internal;

import org.jspecify.annotations.Nullable;

/** Tells when an actor has handled what was queued before it, or will not any more. */
final class ProbeNode extends Node {
    private @Nullable Probes probes;

    ProbeNode(Probes probes) {
        this.probes = probes;
    }

    @Override
    void handle(Turn turn) {
        turn.skipped();
    }

    @Override
    boolean isControl() {
        return true;
    }

    /** It is not in the mailbox any more, for whatever reason. */
    @Override
    void clear() {
        var mine = probes;
        if (mine != null) {
            probes = null;
            mine.arrived();
        }
    }
}
