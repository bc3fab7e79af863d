package io.fibry.web;

import io.fibry.net.HttpCall;

/** Accepts or refuses web sockets. An opener is called for many of them at the same time. */
@FunctionalInterface
public interface WebSocketOpener {
    /**
     * Makes the handler of one socket.
     *
     * @param call the request for the socket, with its path, query and headers
     * @return the handler
     * @throws Exception an {@link io.fibry.net.HttpProblem} to refuse the socket with a status, for example 401; any
     *     other exception refuses it with 500 and is logged
     */
    WebSocketHandler open(HttpCall call) throws Exception;
}
