package io.fibry.cluster;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;

/** Tells watchers of this node which messages its actors of a group had in their mailboxes and do not handle: their senders take them for sent. */
record LossesAtHome(ClusterGroup<?, ?, ?> group, JoinedCluster cluster) implements ActorListener {
    @Override
    public void on(ActorEvent event) {
        if (event instanceof Undelivered lost && wasTaken(lost)) {
            var message = lost.message() instanceof Envelope with ? with.content() : lost.message();
            if (group.messages().isInstance(message)) { // else it is the library's own
                cluster.tellNotHandled(group.name(), message, lost.cause());
            }
        }
    }

    private static boolean wasTaken(Undelivered lost) {
        return switch (lost.cause()) {
            case DROPPED_OLDEST, STOPPED_BEFORE_TURN, STRATEGY_REFUSED -> true;
            default -> false;
        };
    }

    @Override
    public boolean takesEvents() {
        return false;
    }
}
