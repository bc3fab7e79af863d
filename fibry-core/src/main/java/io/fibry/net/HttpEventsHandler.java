package io.fibry.net;

/** Sends server-sent events to a client, until it returns. The handler is called for many clients at the same time. */
@FunctionalInterface
public interface HttpEventsHandler {
    /**
     * Sends events. If the client connects again, the call has the header {@code Last-Event-ID}.
     *
     * @param call the request
     * @param events sends events to the client
     * @throws Exception if the handler cannot go on; the connection is then closed, and the client connects again
     */
    void handle(HttpCall call, HttpEvents events) throws Exception;
}
