package io.fibry.cluster.home;

import io.fibry.cluster.engine.ClusterEngine.Change;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link ClusterMember} asks of the world around it. These methods must not call the member: what comes of
 * them is told later. Those that read the tables give this node's copy.
 */
public interface Surroundings {
    /** Returns an entry of a table, or null. */
    byte @Nullable [] entry(String table, String key);

    /** Returns all entries of a table. */
    Map<String, byte[]> entries(String table);

    /** Changes an entry if it has a value. {@link ClusterMember#changed} tells the outcome. */
    void propose(Change change);

    /** Tells that a letter goes to a node, which may be this one. It may be told again, with another node. */
    void dispatched(Letter letter, UUID node);

    /** Tells that the letters of a slice go nowhere, until the next one is dispatched. */
    void stopped(String group, int slice);

    /** Sends frames to a node, all together. They may be lost. */
    void transmit(UUID node, ByteBuffer frames);

    /**
     * Tells whether a frame with items is wanted for a node now. If it is not, what is to be sent waits, and goes together when
     * {@link ClusterMember#transmitNow} or the next tick comes.
     */
    default boolean isFree(UUID node) {
        return true;
    }

    /**
     * Puts a message into the mailbox of its key. {@link ClusterMember#settle} tells the verdict. Messages of one
     * sender with one slice must reach their mailboxes in the order of the calls.
     */
    void deliver(HomeDelivery delivery);

    /**
     * Ends the actors of a slice. {@link ClusterMember#drained} tells that all of them have ended, after all that was delivered before.
     *
     * @param gently true if the actors first handle what they have; false if they begin no further message
     */
    void drain(String group, int slice, boolean gently);

    /**
     * A gentle end of the actors of a slice has taken half of the time that a handler may hold it up, or that half
     * once more. A handler that has not got on since the call before is interrupted.
     */
    void hurry(String group, int slice);

    /** Tells what became of a letter. */
    void told(Letter letter, Fate fate);

    /** Tells the answer to a letter that is an ask. */
    void answered(Letter letter, byte[] answer);

    /** Tells that the sender of a message that was delivered does not wait for the answer any more. */
    void cancelled(UUID from, long ask);

    /** Tells that what looks for a circle of asks has come along an ask that was delivered. */
    void probed(UUID from, long ask, byte[] probe);

    /** Tells what a node has {@linkplain ClusterMember#note told} this one about its workers, subscribers or slices. */
    void noted(UUID from, String group, NodeLoad load);

    /** Returns what the workers of this node have to do. */
    NodeLoad load(String group);

    /** Returns what nodes have told about their workers, also before this node knew the group. */
    Map<UUID, NodeLoad> loads(String group);

    /** Draws a number from zero up to a bound, which is not drawn. */
    int random(int bound);

    /** Tells which nodes of the view host a group now. The set does not change. */
    void hosts(String group, Set<UUID> hosts);

    /** Tells that this node is the home of a slice from now on. */
    void opened(String group, int slice, long term, byte[] entry);

    /**
     * Tells that a node hosts a group of a name that stands for something else here. Each node is told of once, and
     * does not count as a host here.
     *
     * @param kind what the group is for there, as {@link ClusterMember#describe} is told it
     */
    void unlike(String group, UUID node, int kind);
}
