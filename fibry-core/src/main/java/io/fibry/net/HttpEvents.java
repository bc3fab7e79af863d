package io.fibry.net;

import java.io.IOException;

/** Sends server-sent events to one client. Objects are thread-safe: events are sent as a whole, one after another. */
public interface HttpEvents {
    /**
     * Sends an event at once.
     *
     * @param event the event
     * @throws IOException if the client has closed the connection, or does not read
     */
    void send(HttpEvent event) throws IOException;

    /**
     * Sends an event at once.
     *
     * @param data the text of the event
     * @throws IOException if the client has closed the connection, or does not read
     */
    default void send(String data) throws IOException {
        send(HttpEvent.of(data));
    }

    /**
     * Sends a line that clients ignore. It keeps the connection alive, and the method fails if the client has closed
     * the connection. A handler that has nothing to send for a long time should call this method every few seconds.
     *
     * @throws IOException if the client has closed the connection, or does not read
     */
    void ping() throws IOException;
}
