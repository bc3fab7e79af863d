package io.fibry.web;

import io.fibry.ActorScope;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpJson;
import io.fibry.topic.ChatRoom;
import io.fibry.web.internal.ServedRoom;
import java.util.function.Function;

/**
 * A {@link ChatRoom} whose members are clients: web sockets, which send and receive, and clients of server-sent events,
 * which receive. Messages are values as JSON.
 *
 * <pre>{@code
 * record Line(String text) {
 * }
 *
 * WebRoom<Line> lobby = WebRoom.open(scope, "lobby", Line.class, HttpJson.found(), WebRoomOptions.standard());
 * var routes = HttpRoutes.none()
 *         .get("/lobby", lobby.sockets(call -> call.query("name").orElse("")))
 *         .get("/lobby/events", lobby.events(call -> "a reader"));
 * }</pre>
 *
 * <p>A client gets one JSON object for each event, whose {@code event} is one of these:
 *
 * <ul>
 * <li>{@code said}: a member has sent a {@code message}. The {@code member} is the name, and the {@code id} that of the
 *     message.
 * <li>{@code joined} and {@code left}: a {@code member} has come or gone, and there are so many {@code members} now. The
 *     first one that a client gets is its own, which also says who is {@code here}.
 * <li>{@code missed}: so many {@code messages} were said that this client does not get.
 * </ul>
 *
 * <p>A client that connects again says which message it has seen last, by {@code Last-Event-ID} (browsers do so
 * themselves) or by the query parameter {@code after}. It gets the messages since then, as far as the room's history has
 * them, and is told how many it has missed. A client without such an id gets the history.
 *
 * <p>The events of a client that is slow wait for that client alone, up to a limit; then it is removed (code 1008), or
 * loses the oldest events, as the options choose. Objects are thread-safe.
 *
 * @param <T> the type of the messages
 */
public interface WebRoom<T> extends AutoCloseable {
    /**
     * Opens a room.
     *
     * @param <T> the type of the messages
     * @param scope the scope; the room ends with it
     * @param name the name of the room and of its actor
     * @param type the type of the messages
     * @param json reads and writes the messages
     * @param options the options
     * @return the room
     * @throws IllegalArgumentException if the name is blank or taken
     * @throws IllegalStateException if the scope is closed
     */
    static <T> WebRoom<T> open(ActorScope scope, String name, Class<T> type, HttpJson json,
            WebRoomOptions options) {
        return ServedRoom.open(scope, name, type, json, options);
    }

    /**
     * Returns the room, which other code can join, to say something or to listen.
     *
     * @return the room
     */
    ChatRoom<T> room();

    /**
     * Returns a route for web sockets whose clients are members. What a client sends is said in the room. If too many
     * messages wait there, the socket is closed with code 1013.
     *
     * @param names returns the name of a client, or refuses it by an {@link io.fibry.net.HttpProblem}
     * @return the route
     */
    WebSocketRoute sockets(Function<? super HttpCall, String> names);

    /**
     * Returns a route for web sockets whose clients are members. The handler decides what becomes of the messages of
     * clients.
     *
     * @param names returns the name of a client, or refuses it by an {@link io.fibry.net.HttpProblem}
     * @param handler handles the messages, one at a time for each client
     * @return the route
     */
    WebSocketRoute sockets(Function<? super HttpCall, String> names, WebRoomHandler<T> handler);

    /**
     * Returns a handler whose clients are members that listen, by server-sent events.
     *
     * @param names returns the name of a client, or refuses it by an {@link io.fibry.net.HttpProblem}
     * @return the handler, for a route for GET
     */
    HttpCallHandler events(Function<? super HttpCall, String> names);

    /** Ends the room. Web sockets are closed with code 1001, and answers with events end. */
    @Override
    void close();
}
