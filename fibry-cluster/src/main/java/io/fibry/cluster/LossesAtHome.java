package io.fibry.cluster;

import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Expired;
import io.fibry.event.Undelivered;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.Envelope;
import java.util.Set;
import java.util.function.Function;

/**
 * Tells watchers which messages the actors of a group here lose from their mailboxes: the senders take them for sent.
 *
 * @param actors the name of all of them, in whose name a sender here reports what has expired before a home had it
 */
record LossesAtHome(ClusterGroup<?, ?, ?> group, String actors, JoinedCluster cluster)
        implements
            ActorListener {
    private static final Set<Cause> TAKEN =
            Set.of(Cause.DROPPED_OLDEST, Cause.STOPPED_BEFORE_TURN, Cause.STRATEGY_REFUSED);

    @Override
    public void on(ActorEvent event) {
        if (event instanceof Undelivered lost && TAKEN.contains(lost.cause())) {
            tell(lost.message(),
                    message -> new ClusterEvent.NotHandled(group.name(), message, lost.cause()));
        } else if (event instanceof Expired late && !late.actor().equals(actors)) {
            tell(late.message(),
                    message -> new ClusterEvent.Expired(group.name(), message, late.timeToLive()));
        }
    }

    private void tell(Object lost, Function<Object, ClusterEvent> event) {
        var message = lost instanceof Envelope with ? with.content() : lost;
        if (group.messages().isInstance(message)) { // else it is the library's own
            cluster.tell(event.apply(message));
        }
    }

    @Override
    public boolean takesEvents() {
        return false;
    }
}
