package io.fibry.web;

/**
 * What a web socket's messages are for. All methods run inside an actor of the socket, on the server's strategy: one
 * at a time and in order. They may block; while one does, nothing more is read from that client.
 *
 * <p>What a method throws is reported as the failure of that actor, and closes the socket with code 1011.
 */
@FunctionalInterface
public interface WebSocketHandler {
    /**
     * The socket is open. The first call.
     *
     * @param socket the socket, free to be handed to others
     * @throws Exception whatever went wrong
     */
    default void opened(WebSocket socket) throws Exception {
        // nothing to do
    }

    /**
     * A text has come, whole.
     *
     * @param socket where from
     * @param text the text
     * @throws Exception whatever went wrong
     */
    void text(WebSocket socket, String text) throws Exception;

    /**
     * Bytes have come, a whole message. By default they are not accepted: the socket is closed with code 1003.
     *
     * @param socket where from
     * @param bytes the bytes, which may be kept
     * @throws Exception whatever went wrong
     */
    default void binary(WebSocket socket, byte[] bytes) throws Exception {
        socket.close(WebSocketClose.UNSUPPORTED, "only text is understood here");
    }

    /**
     * The socket is closed: the last call, exactly once for each socket that was opened, also after a failure.
     *
     * @param socket the socket, which takes no messages any more
     * @param close why it was closed: what came first, from whichever side
     * @throws Exception whatever went wrong
     */
    default void closed(WebSocket socket, WebSocketClose close) throws Exception {
        // nothing to do
    }
}
