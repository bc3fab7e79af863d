package io.fibry.web;

import io.fibry.topic.ChatRoomOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The options of a {@link WebRoom}. Options are immutable: each call returns other options.
 *
 * @param chat the options of the room: its history, how many members there may be, how many events may wait for one
 * @param heartbeat how long clients of server-sent events get nothing until they get a line that they ignore, which shows
 *     that they are still there
 * @param presence whether clients are told when members join and leave
 */
public record WebRoomOptions(ChatRoomOptions chat, Duration heartbeat, boolean presence) {
    private static final int HISTORY = 100;
    private static final WebRoomOptions STANDARD = new WebRoomOptions(
            ChatRoomOptions.defaults().withHistory(HISTORY), Duration.ofSeconds(15), true);

    /**
     * Checks the parts.
     *
     * @param chat not null
     * @param heartbeat more than zero
     * @param presence any value
     */
    public WebRoomOptions {
        Objects.requireNonNull(chat, "chat");
        Positive.require(heartbeat, "heartbeat");
    }

    /**
     * Returns the standard options: a history of 100 messages, the other defaults of {@link ChatRoomOptions}, a heartbeat of
     * 15 seconds, and clients are told when members join and leave.
     *
     * @return the options
     */
    public static WebRoomOptions standard() {
        return STANDARD;
    }

    /**
     * Returns the same options with other options of the room.
     *
     * @param change returns the changed options, for example {@code chat -> chat.withMembers(100)}
     * @return the new options
     */
    public WebRoomOptions chat(UnaryOperator<ChatRoomOptions> change) {
        return new WebRoomOptions(change.apply(chat), heartbeat, presence);
    }

    /**
     * Returns the same options with another heartbeat.
     *
     * @param time the time, more than zero
     * @return the new options
     */
    public WebRoomOptions heartbeat(Duration time) {
        return new WebRoomOptions(chat, time, presence);
    }

    /**
     * Returns the same options for a room whose clients are told when members join and leave, or are not. In a room with many
     * clients that come and go, this is most of what they are told.
     *
     * @param told whether they are told
     * @return the new options
     */
    public WebRoomOptions presence(boolean told) {
        return new WebRoomOptions(chat, heartbeat, told);
    }
}
