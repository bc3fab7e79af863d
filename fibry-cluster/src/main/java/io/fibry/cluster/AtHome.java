package io.fibry.cluster;

import io.fibry.event.Undelivered.Cause;
import io.fibry.keyed.KeyedActors;

/** The stay of a sender of this node with the actors of a slice. The slice does not move before it is closed. */
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
