package io.fibry.net;

/** Sends server-sent events to a client, until it returns. Called by many clients at the same time. */
@FunctionalInterface
public interface HttpEventsHandler {
    /**
     * Sends events. {@code Last-Event-ID} is a header of the call if the client has been there before.
     *
     * @param call the request
     * @param events the way to the client
     * @throws Exception whatever went wrong; the connection is closed then, and the client comes back
     */
    void handle(HttpCall call, HttpEvents events) throws Exception;
}
