package io.fibry.cluster;

import io.fibry.cluster.home.Letter;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The rooms of a group on this node: one for each node to which its messages go, and one for those that wait for a home. All senders of the
 * node share them. A group without homes has one room.
 *
 * <p>The actor of the member writes where the messages of a slice go; senders read it. A sender may take room where they went a moment ago: the
 * member moves the message to the right room when it dispatches it.
 */
final class GroupRooms {
    /** Grows by one for each node that was ever the home of a key. */
    private final Map<UUID, Room> rooms = new ConcurrentHashMap<>();
    private final Room homeless = new Room();
    /** Null if the messages of a slice go nowhere. */
    private final AtomicReferenceArray<@Nullable Room> roomOfSlice;

    GroupRooms(int slices) {
        roomOfSlice = new AtomicReferenceArray<>(slices);
    }

    Room of(int slice) {
        if (slice == Letter.NO_SLICE) {
            return homeless;
        }
        var room = roomOfSlice.get(slice);
        return room == null ? homeless : room;
    }

    boolean isHomeless(Room room) {
        return room == homeless;
    }

    /** A message goes to a node, and those that follow it will. Called by the actor of the member. */
    void dispatched(Outgoing outgoing, UUID node) {
        if (outgoing.slice == Letter.NO_SLICE) {
            return;
        }
        var room = rooms.computeIfAbsent(node, missing -> new Room());
        roomOfSlice.set(outgoing.slice, room);
        outgoing.moveTo(room);
    }

    /** The messages of a slice go nowhere, until the next one is dispatched. Called by the actor of the member. */
    void stopped(int slice) {
        roomOfSlice.set(slice, null);
    }
}
