package io.fibry.web;

import io.fibry.net.HttpCall;

/** Takes or refuses web sockets. It is called for many of them at the same time. */
@FunctionalInterface
public interface WebSocketOpener {
    /**
     * Makes the handler of one socket.
     *
     * @param call the request for the socket, with its path, query and headers
     * @return the handler
     * @throws Exception an {@link io.fibry.net.HttpProblem} to refuse the socket with a status, as 401; anything else
     *             refuses it with 500 and is logged
     */
    WebSocketHandler open(HttpCall call) throws Exception;
}
