package io.fibry.net;

import io.fibry.Actor;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A connection that is read by a worker and written to by an actor. Thread-safe.
 *
 * @param <M> type of the messages its actor takes
 */
public interface Connection<M> extends AutoCloseable {
    /**
     * The socket. Worker and actor may use it at the same time: one reads, the other writes.
     *
     * @return the socket; an {@link javax.net.ssl.SSLSocket} if the server speaks TLS
     */
    Socket socket();

    /**
     * Who is at the other end.
     *
     * @return the address
     */
    InetSocketAddress peer();

    /**
     * The connection's actor: handles its messages one at a time, while the worker reads. It stops when the
     * connection is closed, and its stop closes the connection.
     *
     * @return the actor, free to be handed to others
     */
    Actor<M, Void> actor();

    /** Closes the connection at once, which ends its worker and its actor. Does not wait for them. */
    @Override
    void close();
}
