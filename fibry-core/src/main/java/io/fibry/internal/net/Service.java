package io.fibry.internal.net;

import io.fibry.ActorScope;

/** What a server does with its connections. */
@FunctionalInterface
interface Service {
    /**
     * Makes an actor that works for the connection and tells it when it has ended. If this throws, there is no
     * such actor.
     */
    void start(ActorScope crew, TcpConnection connection);
}
