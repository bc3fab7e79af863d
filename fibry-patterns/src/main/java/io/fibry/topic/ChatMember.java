package io.fibry.topic;

import io.fibry.Counters;
import java.util.concurrent.CompletableFuture;

/**
 * A member of a {@link ChatRoom}. Objects are thread-safe. Programs do not implement this interface.
 *
 * @param <T> type of what members say
 */
public interface ChatMember<T> extends AutoCloseable {
    /**
     * Returns the name under which the member has joined. Several members may have one name.
     *
     * @return the name
     */
    String name();

    /**
     * Sends a text to all members, including this one. This method does not wait.
     *
     * @param message the message
     * @return true if the room has taken it; false if the member has left, if the room has ended, or if too many messages wait in
     *     the room
     */
    boolean say(T message);

    /** Leaves the room. No call of the member's handler begins after that. The handler may call this method. */
    void leave();

    /** Leaves the room, as {@link #leave()} does. */
    @Override
    default void close() {
        leave();
    }

    /**
     * Returns a future of the end of the membership.
     *
     * @return the future of the reason
     */
    CompletableFuture<ChatEvent.Departure> onLeft();

    /**
     * Returns what became of the events for this member.
     *
     * @return the numbers
     */
    Counters counters();
}
