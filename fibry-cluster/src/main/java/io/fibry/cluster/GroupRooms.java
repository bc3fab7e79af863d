package io.fibry.cluster;

import io.fibry.cluster.home.Letter;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The rooms of a group on this node: one for each node to which its messages go, and one for those that wait for a
 * home. All senders of the node share them. Workers have one room, and a topic one for each node.
 *
 * <p>The actor of the member writes where the messages of a slice go; senders read it. A sender may take room where
 * they went a moment ago: the member moves the message to the right room when it dispatches it.
 *
 * <p>A sender may also go to the actors of this node itself, if no message of the slice is on its way by way of the member: it would overtake
 * that. A sender counts its message before it gives it to the member, and the member counts it no more when the message is in the mailbox of a
 * home, or will never be. So if a thread finds none, its earlier messages have come before the one that it sends now.
 */
final class GroupRooms {
    /** Of the nodes of the view, and for a moment of others. */
    private final Map<UUID, Room> rooms = new ConcurrentHashMap<>();
    private final Room homeless = new Room();
    /**
     * Null if the messages of a slice go nowhere. A sender that misses a change takes room where messages went
     * before; the member moves the message.
     */
    private final AtomicReferenceArray<@Nullable Room> roomOfSlice;
    /**
     * Of each slice, how many messages of this node are on their way by way of the member. A sender counts its
     * message before the member gets it, so zero means that no earlier one is on its way.
     */
    private final AtomicIntegerArray underway;
    /** Set by the thread that shares the group; a sender that misses it goes by way of the member. */
    private volatile @Nullable HostedGroup<?, ?, ?> home;

    GroupRooms(int slices) {
        roomOfSlice = new AtomicReferenceArray<>(slices);
        underway = new AtomicIntegerArray(slices);
    }

    /** This node has actors of the group from now on. */
    void atHome(HostedGroup<?, ?, ?> hosted) {
        home = hosted;
    }

    /**
     * Lets a sender go to the actors of this node itself; null if the message must go by way of the member.
     *
     * @param group the group of the sender: it must have the same types and the same {@code keyOf}
     */
    <K, M, R> @Nullable AtHome<K, M, R> enter(ClusterGroup<K, M, R> group, int slice) {
        var here = home;
        if (here == null || here.group() != group || underway.get(slice) != 0) {
            return null;
        }
        @SuppressWarnings("unchecked") // it is the same group
        var inside = new AtHome<>((HostedGroup<K, M, R>) here, slice);
        return here.enter(slice) ? inside : null;
    }

    /** A message is about to go by way of the member. */
    void depart(Outgoing outgoing) {
        if (outgoing.slice != Letter.NO_SLICE) {
            underway.incrementAndGet(outgoing.slice);
        }
    }

    /** Takes a message back, unless the member has begun to send it: then the member tells when it has come. */
    void takeBack(Outgoing outgoing) {
        if (outgoing.takeBack() && outgoing.slice != Letter.NO_SLICE) {
            underway.decrementAndGet(outgoing.slice);
        }
    }

    /** A message is in the mailbox of a home, or will never be. The first call counts, others do nothing. */
    void arrive(Outgoing outgoing) {
        if (outgoing.slice != Letter.NO_SLICE && outgoing.arrive()) {
            underway.decrementAndGet(outgoing.slice);
        }
    }

    /** Returns the room of a message: that of its node, or where the messages of its slice go. */
    Room of(Outgoing outgoing) {
        if (outgoing.to != null) {
            return room(outgoing.to);
        }
        var room = outgoing.slice == Letter.NO_SLICE ? null : roomOfSlice.get(outgoing.slice);
        return room == null ? homeless : room;
    }

    private Room room(UUID node) {
        return rooms.computeIfAbsent(node, missing -> new Room());
    }

    /** Forgets the rooms of all nodes but these. What is underway in another one is counted there until its fate is known. */
    void keep(Set<UUID> nodes) {
        rooms.keySet().retainAll(nodes);
    }

    boolean isHomeless(Room room) {
        return room == homeless;
    }

    /** A message goes to a node, and those that follow it will. Called by the actor of the member. */
    void dispatched(Outgoing outgoing, UUID node) {
        if (outgoing.slice == Letter.NO_SLICE) {
            return;
        }
        var room = room(node);
        roomOfSlice.set(outgoing.slice, room);
        outgoing.moveTo(room);
    }

    /** The messages of a slice go nowhere, until the next one is dispatched. Called by the actor of the member. */
    void stopped(int slice) {
        roomOfSlice.set(slice, null);
    }
}
