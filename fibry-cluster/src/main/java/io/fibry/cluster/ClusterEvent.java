package io.fibry.cluster;

import io.fibry.event.Undelivered.Cause;
import java.util.Set;

/** What happens in a cluster, as a node sees it. */
public sealed interface ClusterEvent {
    /**
     * A node has joined, or was there when the watcher began.
     *
     * @param node the node
     */
    record Joined(ClusterNode node) implements ClusterEvent {
    }

    /**
     * A node has said goodbye, and has handed over what it had.
     *
     * @param node the node
     */
    record Left(ClusterNode node) implements ClusterEvent {
    }

    /**
     * A node has gone without a goodbye.
     *
     * @param node the node
     */
    record Lost(ClusterNode node) implements ClusterEvent {
    }

    /** This node does not see the majority. Its shared actors end, and messages to shared actors are refused. */
    record CutOff() implements ClusterEvent {
    }

    /**
     * This node sees the majority again, or for the first time.
     *
     * @param members the nodes
     */
    record Restored(Set<ClusterNode> members) implements ClusterEvent {
    }

    /**
     * A message was certainly not handled. This is told about messages of {@code sendMessage}, and about all that were refused before
     * they left this node.
     *
     * @param group name of the group
     * @param message the message
     * @param cause why
     */
    record NotHandled(String group, Object message, Cause cause) implements ClusterEvent {
    }

    /**
     * A message of {@code sendMessage} may have been handled, or not, since its node was lost.
     *
     * @param group name of the group
     * @param message the message
     * @param node the node
     */
    record Uncertain(String group, Object message, ClusterNode node) implements ClusterEvent {
    }
}
