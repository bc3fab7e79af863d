package io.fibry.internal.net;

import io.fibry.ActorScope;

/** What a TCP server does with its connections. */
@FunctionalInterface
interface Service {
    /**
     * Makes an actor that works for the connection and calls {@link TcpConnection#ended} at its end. If this method
     * throws an exception there is no such actor.
     */
    void start(ActorScope crew, TcpConnection connection);
}
