package io.fibry.internal.net;

import io.fibry.ActorScope;
import io.fibry.Counters;

/** What a TCP server does with its connections. */
@FunctionalInterface
interface Service {
    /**
     * Makes an actor that works for the connection and calls {@link TcpConnection#ended} at its end. If this method
     * throws an exception there is no such actor.
     */
    void start(ActorScope crew, TcpConnection connection);

    /** Called before the first connection is accepted. */
    default void begin(ActorScope crew) {
        // nothing to prepare
    }

    /** Called when a stop begins, after the server has ceased to accept connections. */
    default void windDown() {
        // connections end by themselves
    }

    /** Called when no connection is left, or none that could be ended. */
    default void end() {
        // nothing to release
    }

    /** Returns whether the calling thread runs code of the user, apart from the actors of connections. */
    default boolean isInside() {
        return false;
    }

    /** Returns whether actors that are left when connections are closed by force are interrupted at once. */
    default boolean interrupts() {
        return false;
    }

    /** Returns what the report of a stop counts. */
    default Counters counters(ActorScope crew) {
        return crew.counters();
    }
}
