package io.fibry.web;

/**
 * Handles the messages of a web socket. All methods run inside an actor of the socket, on the strategy of the server:
 * one at a time and in order. They may block; while a method blocks, nothing more is read from that client.
 *
 * <p>If a method throws, this is reported as a failure of the actor, and the socket is closed with code 1011.
 */
@FunctionalInterface
public interface WebSocketHandler {
    /**
     * Called first, when the socket is open.
     *
     * @param socket the socket, which may be kept and passed to other code
     * @throws Exception if the method fails
     */
    default void opened(WebSocket socket) throws Exception {
        // nothing to do
    }

    /**
     * Called when a whole text message has come.
     *
     * @param socket the socket that received it
     * @param text the text
     * @throws Exception if the method fails
     */
    void text(WebSocket socket, String text) throws Exception;

    /**
     * Called when a whole message that consists of bytes has come. By default such messages are not accepted: the
     * socket is closed with code 1003.
     *
     * @param socket the socket that received it
     * @param bytes the bytes, which may be kept
     * @throws Exception if the method fails
     */
    default void binary(WebSocket socket, byte[] bytes) throws Exception {
        socket.close(WebSocketClose.UNSUPPORTED, "only text is understood here");
    }

    /**
     * Called last, when the socket is closed. The method is called exactly once for each socket that was opened, even
     * after a failure.
     *
     * @param socket the socket, which no longer takes messages
     * @param close why the socket was closed; if there are several reasons, of whichever side, the first one
     * @throws Exception if the method fails
     */
    default void closed(WebSocket socket, WebSocketClose close) throws Exception {
        // nothing to do
    }
}
