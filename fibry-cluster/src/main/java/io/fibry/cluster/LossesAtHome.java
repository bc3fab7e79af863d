package io.fibry.cluster;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.Envelope;
import java.util.Set;

/** Tells watchers which messages the actors of a group here lose from their mailboxes: the senders take them for sent. */
record LossesAtHome(ClusterGroup<?, ?, ?> group, JoinedCluster cluster) implements ActorListener {
    private static final Set<Cause> TAKEN =
            Set.of(Cause.DROPPED_OLDEST, Cause.STOPPED_BEFORE_TURN, Cause.STRATEGY_REFUSED);

    @Override
    public void on(ActorEvent event) {
        if (event instanceof Undelivered lost && TAKEN.contains(lost.cause())) {
            var message = lost.message() instanceof Envelope with ? with.content() : lost.message();
            if (group.messages().isInstance(message)) { // else it is the library's own
                cluster.tellNotHandled(group.name(), message, lost.cause());
            }
        }
    }

    @Override
    public boolean takesEvents() {
        return false;
    }
}
