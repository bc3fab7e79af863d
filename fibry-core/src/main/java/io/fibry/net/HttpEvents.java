package io.fibry.net;

import java.io.IOException;

/** The way of server-sent events to one client. Thread-safe: events go out whole, one after the other. */
public interface HttpEvents {
    /**
     * Sends an event at once.
     *
     * @param event the event
     * @throws IOException if the client has gone, or does not read
     */
    void send(HttpEvent event) throws IOException;

    /**
     * Sends an event at once.
     *
     * @param data its text
     * @throws IOException if the client has gone, or does not read
     */
    default void send(String data) throws IOException {
        send(HttpEvent.of(data));
    }

    /**
     * Sends something that clients ignore. It keeps the connection alive, and fails if the client has gone:
     * whoever has nothing to send for long should do this every few seconds.
     *
     * @throws IOException if the client has gone, or does not read
     */
    void ping() throws IOException;
}
