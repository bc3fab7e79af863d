package io.fibry.web;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The reason why a web socket was closed.
 *
 * @param code a code of RFC 6455; {@link #VANISHED} and {@link #NONE} are never sent
 * @param reason a text for people; may be empty
 */
public record WebSocketClose(int code, String reason) {
    /** The socket has served its purpose. */
    public static final int NORMAL = 1000;
    /** The server is being stopped, or the user has left the page. */
    public static final int GOING_AWAY = 1001;
    /** The other side breaks the protocol. */
    public static final int PROTOCOL_ERROR = 1002;
    /** The receiver does not accept messages of this kind. */
    public static final int UNSUPPORTED = 1003;
    /** The client gave no code. */
    public static final int NONE = 1005;
    /** The connection ended without a close frame, or was cut. */
    public static final int VANISHED = 1006;
    /** A text is not UTF-8. */
    public static final int INVALID_TEXT = 1007;
    /** The client does something that is forbidden, or does not read what is sent to it. */
    public static final int POLICY = 1008;
    /** A message is too long. */
    public static final int TOO_BIG = 1009;
    /** A handler failed. */
    public static final int FAILURE = 1011;
    /** The server has too much to do now. */
    public static final int TRY_LATER = 1013;

    private static final int LAST_OF_RFC = 1014;
    private static final int FIRST_FREE = 3000;
    private static final int LAST = 4999;
    private static final int ABORTED = 1015;
    private static final int RESERVED = 1004;
    private static final int MAX_REASON_BYTES = 123;

    /**
     * Checks that the reason fits into a frame.
     *
     * @param code from 1000 to 4999
     * @param reason at most 123 bytes of UTF-8
     */
    public WebSocketClose {
        Objects.requireNonNull(reason, "reason");
        if (code < NORMAL || code > LAST) {
            throw new IllegalArgumentException("code must be from 1000 to 4999: " + code);
        }
        var length = reason.getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_REASON_BYTES) {
            throw new IllegalArgumentException("the reason must be at most " + MAX_REASON_BYTES
                    + " bytes of UTF-8, not " + length + ": '" + reason + "'");
        }
    }

    /**
     * Tells whether the code may be sent. These are the codes 1000 to 1014 without those that have a special meaning,
     * and 3000 to 4999, of which the codes from 4000 are free for programs.
     *
     * @return true if the code may be sent
     */
    public boolean isSendable() {
        return (code <= LAST_OF_RFC && code != RESERVED && code != NONE && code != VANISHED)
                || (code >= FIRST_FREE && code != ABORTED);
    }
}
