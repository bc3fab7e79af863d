package io.fibry.web;

import io.fibry.net.HttpJson;
import io.fibry.net.HttpProblem;

/**
 * Handles the messages of a web socket whose texts are values as JSON. All methods run as those of a {@link
 * WebSocketHandler} do: one at a time and in order. {@link #reading} makes such a handler a {@code WebSocketHandler}.
 *
 * <pre>{@code
 * record Move(int x, int y) {
 * }
 *
 * WebSocketJsonHandler<Move> player = (socket, move) -> socket.send(WebMessage.json(json, board.after(move)));
 * routes.get("/play", WebSocketRoute.of(player.reading(json, Move.class)))
 * }</pre>
 *
 * @param <T> the type of the messages
 */
@FunctionalInterface
public interface WebSocketJsonHandler<T> {
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
     * Called when a message has come.
     *
     * @param socket the socket that received it
     * @param message the message
     * @throws Exception if the method fails
     */
    void message(WebSocket socket, T message) throws Exception;

    /**
     * Called when a text has come that is no JSON or does not fit the type. By default the socket is closed with code
     * 1007, and the client is told where the fault is.
     *
     * @param socket the socket that received it
     * @param problem what is wrong
     * @throws Exception if the method fails
     */
    default void malformed(WebSocket socket, HttpProblem problem) throws Exception {
        socket.close(WebSocketClose.INVALID_TEXT, WebSocketClose.shortened(problem.text()));
    }

    /**
     * Called last, when the socket is closed; see {@link WebSocketHandler#closed}.
     *
     * @param socket the socket, which no longer takes messages
     * @param close why the socket was closed
     * @throws Exception if the method fails
     */
    default void closed(WebSocket socket, WebSocketClose close) throws Exception {
        // nothing to do
    }

    /**
     * Returns this handler as a handler of texts. Messages that consist of bytes are not accepted.
     *
     * @param json reads the messages
     * @param type the type of the messages
     * @return the handler
     */
    default WebSocketHandler reading(HttpJson json, Class<T> type) {
        return new JsonTexts<>(this, json, type);
    }
}
