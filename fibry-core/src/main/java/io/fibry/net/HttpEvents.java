package io.fibry.net;

import java.io.IOException;

/**
 * Sends server-sent events to one client, as {@link HttpAnswer#events} describes. Objects are thread-safe: events are sent as a
 * whole, one after another. When the handler has returned, sending fails with an {@link IOException}.
 */
public interface HttpEvents {
    /**
     * Sends an event at once.
     *
     * @param data the text of the event, of any number of lines
     * @throws IOException if the client has closed the connection, or does not read
     */
    default void send(String data) throws IOException {
        send("", "", data);
    }

    /**
     * Sends an event with a name and an id at once.
     *
     * @param name the kind of the event, one line; empty if it has none
     * @param id the id of the event, one line; empty if it has none. A client that connects again sends the last id that it has
     *     seen, in the header {@code Last-Event-ID}
     * @param data the text of the event, of any number of lines
     * @throws IllegalArgumentException if the name or the id is more than one line
     * @throws IOException if the client has closed the connection, or does not read
     */
    void send(String name, String id, String data) throws IOException;

    /**
     * Sends a line that clients ignore. It keeps the connection alive, and the method fails if the client has closed
     * the connection. A handler that has nothing to send for a long time should call this method every few seconds.
     *
     * @throws IOException if the client has closed the connection, or does not read
     */
    void ping() throws IOException;
}
