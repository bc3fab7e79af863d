package io.fibry.web;

/**
 * How the messages of web sockets are compressed, by {@code permessage-deflate} (RFC 7692), for clients that offer it.
 * Do not compress messages that have a secret beside text that others choose: their length tells something about the
 * secret.
 *
 * @param leastBytes how long a message to a client must be to be compressed
 * @param keepsContext whether a message may refer to the messages before it. That makes similar short messages shorter, and
 *     takes about 300 KiB for each socket
 */
public record WebSocketDeflate(int leastBytes, boolean keepsContext) {
    private static final WebSocketDeflate STANDARD = new WebSocketDeflate(256, false);

    /**
     * Checks the number.
     *
     * @param leastBytes at least one
     * @param keepsContext any value
     */
    public WebSocketDeflate {
        Positive.require(leastBytes, "leastBytes");
    }

    /**
     * Returns the standard: messages of 256 bytes or more are compressed, each by itself.
     *
     * @return the settings
     */
    public static WebSocketDeflate standard() {
        return STANDARD;
    }

    /**
     * Returns the same settings with another least length.
     *
     * @param bytes the length in bytes, at least one
     * @return the new settings
     */
    public WebSocketDeflate leastBytes(int bytes) {
        return new WebSocketDeflate(bytes, keepsContext);
    }

    /**
     * Returns the same settings for messages that refer to those before, or do not.
     *
     * @param kept whether they do, if the client allows it
     * @return the new settings
     */
    public WebSocketDeflate keepsContext(boolean kept) {
        return new WebSocketDeflate(leastBytes, kept);
    }
}
