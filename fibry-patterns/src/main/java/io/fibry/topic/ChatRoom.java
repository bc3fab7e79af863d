package io.fibry.topic;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A room of members. Each message of a member goes to all members, and so does each arrival and departure. The room is an actor,
 * and each member has an actor of its own, which calls the handler of the member with one event after another. So a handler may
 * block, for example to send to a network.
 *
 * <pre>{@code
 * ChatRoom<String> lobby = ChatRoom.open(scope, "lobby", ChatRoomOptions.defaults().withHistory(50));
 * var ann = lobby.join("ann", event -> show(event));
 * ann.say("Hello!");
 * ann.leave();
 * }</pre>
 *
 * <p>The room never waits for a member. If more events would wait for a member than the options allow, it is removed from the room,
 * or loses the oldest events; the other members notice nothing else. A member whose actor stops is removed, too. What a handler
 * throws is reported as a failure of the actor of the member.
 *
 * <p>Objects are thread-safe. What a member does before it sends a message happens-before the calls of the handlers with that
 * message. Programs do not implement this interface.
 *
 * @param <T> type of the messages
 */
public interface ChatRoom<T> extends AutoCloseable {
    /**
     * Opens a room.
     *
     * @param <T> type of the messages
     * @param scope the scope; the room ends with it
     * @param name the name of the room and of its actor
     * @param options the options
     * @return the room
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static <T> ChatRoom<T> open(ActorScope scope, String name, ChatRoomOptions options) {
        return LiveChatRoom.open(scope, name, options);
    }

    /**
     * Joins the room. The handler first gets a {@link ChatEvent.Welcome}, then the {@link ChatEvent.Joined} of the new member, and
     * then what happens after that. This method does not wait for it.
     *
     * @param member the name of the member, which other members may have as well
     * @param handler handles the events, one at a time
     * @return the member
     * @throws IllegalArgumentException if the name is blank
     * @throws IllegalStateException if the room has ended, or has as many members as it may
     */
    ChatMember<T> join(String member, Handler<? super ChatEvent<T>> handler);

    /**
     * Returns the names of the members, in the order in which they have joined.
     *
     * @return the names, which may have changed already
     */
    List<String> members();

    /**
     * Returns the name of the room.
     *
     * @return the name
     */
    String name();

    /**
     * Returns what became of the messages of the room's actor. To join and to leave are messages, too.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Ends the room. The members are told what was said before, up to the deadline.
     *
     * @param deadline how long it may take, not negative
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of the room.
     *
     * @return the future of the report, which completes when all actors of the room have stopped
     */
    CompletableFuture<StopReport> onStopped();

    /** Ends the room, with the close time-out of the scope as the deadline. */
    @Override
    void close();
}
