package io.fibry.topic;

import io.fibry.ActorBuilder;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Options of a {@link ChatRoom}. Objects are immutable: each {@code with…} method returns another object.
 *
 * @param history how many messages a new member is told that were said before
 * @param outbox how many events may wait for a member
 * @param keepsSlow whether a member stays in the room if more events would wait for it, and loses the oldest ones; else it is
 *     removed
 * @param members how many members there may be at a time
 * @param waiting how many messages may wait in the room until the members are told
 * @param actors the settings of the actors that call the handlers of the members
 */
public record ChatRoomOptions(int history, int outbox, boolean keepsSlow, int members, int waiting,
        UnaryOperator<ActorBuilder> actors) {
    private static final int OUTBOX = 200;
    private static final int MEMBERS = 10_000;
    private static final int WAITING = 10_000;

    /**
     * Checks the numbers.
     *
     * @param history zero or more
     * @param outbox at least 2: a new member gets two events at once
     * @param keepsSlow any value
     * @param members at least one
     * @param waiting at least one
     * @param actors not null
     */
    public ChatRoomOptions {
        Objects.requireNonNull(actors, "actors");
        requireAtLeast(0, history, "history");
        requireAtLeast(2, outbox, "outbox");
        requireAtLeast(1, members, "members");
        requireAtLeast(1, waiting, "waiting");
    }

    private static void requireAtLeast(int least, int number, String name) {
        if (number < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ": " + number);
        }
    }

    /**
     * Returns the common options: no history, 200 events may wait for a member, which is removed then; up to 10,000 members; 10,000
     * messages may wait in the room.
     *
     * @return the options
     */
    public static ChatRoomOptions defaults() {
        return new ChatRoomOptions(0, OUTBOX, false, MEMBERS, WAITING, UnaryOperator.identity());
    }

    /**
     * Returns the same options with another length of the history.
     *
     * @param messages how many messages a new member is told, zero or more
     * @return the new options
     */
    public ChatRoomOptions withHistory(int messages) {
        return new ChatRoomOptions(messages, outbox, keepsSlow, members, waiting, actors);
    }

    /**
     * Returns the same options with another limit of the events that wait for a member.
     *
     * @param events the limit, at least 2
     * @return the new options
     */
    public ChatRoomOptions withOutbox(int events) {
        return new ChatRoomOptions(history, events, keepsSlow, members, waiting, actors);
    }

    /**
     * Returns the same options for a room that keeps members that are too slow, or removes them.
     *
     * @param kept true if a slow member stays and loses the oldest events that wait for it
     * @return the new options
     */
    public ChatRoomOptions withKeepingSlow(boolean kept) {
        return new ChatRoomOptions(history, outbox, kept, members, waiting, actors);
    }

    /**
     * Returns the same options with another limit of members.
     *
     * @param limit the limit, at least one
     * @return the new options
     */
    public ChatRoomOptions withMembers(int limit) {
        return new ChatRoomOptions(history, outbox, keepsSlow, limit, waiting, actors);
    }

    /**
     * Returns the same options with another limit of the messages that wait in the room.
     *
     * @param messages the limit, at least one
     * @return the new options
     */
    public ChatRoomOptions withWaiting(int messages) {
        return new ChatRoomOptions(history, outbox, keepsSlow, members, messages, actors);
    }

    /**
     * Returns the same options with other settings of the actors that call the handlers of the members: their strategy and their
     * failure policy, for example. The mailboxes are those of the room.
     *
     * @param settings adds settings to a builder
     * @return the new options
     */
    public ChatRoomOptions withActors(UnaryOperator<ActorBuilder> settings) {
        return new ChatRoomOptions(history, outbox, keepsSlow, members, waiting, settings);
    }
}
