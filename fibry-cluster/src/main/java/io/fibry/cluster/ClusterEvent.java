package io.fibry.cluster;

import io.fibry.event.Undelivered.Cause;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;

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

    /** This node is cut off: it has no lease, or sees no majority. Its shared actors end, and messages to any are refused. */
    record CutOff() implements ClusterEvent {
    }

    /**
     * This node serves again, or for the first time.
     *
     * @param members the nodes
     */
    record Restored(Set<ClusterNode> members) implements ClusterEvent {
    }

    /**
     * Keys have moved to another node. Slices that have moved at about the same time are told together.
     *
     * @param group name of the group
     * @param slices numbers of the slices in which the keys are
     * @param from the home before
     * @param to the home now
     * @param took how long the slice that took longest had no home; zero if this node did not see when that began
     */
    record Moved(String group, SortedSet<Integer> slices, ClusterNode from, ClusterNode to,
            Duration took) implements ClusterEvent {
    }

    /**
     * A handler has held up the move of its key for too long and was interrupted. Unless it ignores that, its message fails.
     * The key moves when it has ended and all messages behind it were handled; until then no other node has an actor for it.
     *
     * @param group name of the group
     * @param key the key
     * @param limit how long a handler may hold up a move
     */
    record Stuck(String group, Object key, Duration limit) implements ClusterEvent {
    }

    /**
     * A message was certainly not handled. Watchers are told of messages of {@code sendMessage}, of all that were refused
     * before they left this node, and of all that shared actors of this node have lost from their mailboxes, whoever has
     * sent them: {@code DROPPED_OLDEST} by a policy, {@code STOPPED_BEFORE_TURN} when the actor ended, as when the node
     * is cut off, or {@code STRATEGY_REFUSED}. Senders take lost messages for sent, but for asks and tracked sends.
     * Listeners of the scope of a pool are told what the pool loses.
     *
     * @param group name of the group
     * @param message the message
     * @param cause why
     */
    record NotHandled(String group, Object message, Cause cause) implements ClusterEvent {
    }

    /**
     * The time to live of a message of {@code sendMessage} ended while the message waited on this node, because its
     * key had no home, its home was moving, or no node had workers; or that of any message ended in the mailbox of a
     * shared actor of this node. The message is not handled. Listeners of the scope of a pool are told what expires in
     * the pool.
     *
     * @param group name of the group
     * @param message the message
     * @param timeToLive how long it was allowed to wait; in a mailbox, what was left of that when it came there
     */
    record Expired(String group, Object message, Duration timeToLive) implements ClusterEvent {
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

    /**
     * Events were left out, at this place or shortly before it, since a million events waited for the watcher. {@link
     * Cluster#members()} has the nodes in any case.
     *
     * @param events how many events
     */
    record Missed(long events) implements ClusterEvent {
    }
}
