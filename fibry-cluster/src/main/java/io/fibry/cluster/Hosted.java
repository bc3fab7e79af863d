package io.fibry.cluster;

import io.fibry.cluster.circle.ActorWait;
import io.fibry.cluster.circle.NodeAsk;
import io.fibry.cluster.home.HomeDelivery;
import java.util.Optional;
import java.util.UUID;

/** What this node has of a group. The actor of the member calls these methods, and none of them waits. */
sealed interface Hosted permits HostedGroup, HostedHere {
    String name();

    /** Hands a message over to those who handle it, behind those that were delivered before. */
    void deliver(HomeDelivery delivery);

    /** The sender of an ask does not wait for the answer any more. */
    void cancelled(UUID from, long ask);

    /** Returns the wait on which the answer to an ask depends. */
    Optional<ActorWait> waitUnder(NodeAsk ask, ClusterNode self);
}
