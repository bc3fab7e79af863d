package io.fibry.cluster;

import io.fibry.event.Undelivered.Cause;
import io.fibry.keyed.KeyedActors;

/** A sender of this node that has gone in to the actors of a slice, until it is closed. While it is open, the slice does not move. */
record AtHome<K, M, R>(HostedGroup<K, M, R> group, int slice) implements AutoCloseable {
    KeyedActors<K, M, R> actors() {
        return group.actors();
    }

    /** Returns the likely reason why the actors have not taken a message. */
    Cause whyRefused() {
        return group.whyRefused(slice);
    }

    @Override
    public void close() {
        group.leave(slice);
    }
}
