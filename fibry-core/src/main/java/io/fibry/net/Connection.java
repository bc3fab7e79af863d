package io.fibry.net;

import io.fibry.Actor;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A TCP connection that a worker reads and to which an actor writes. Connections are thread-safe.
 *
 * @param <M> type of the messages that the actor takes
 */
public interface Connection<M> extends AutoCloseable {
    /**
     * Returns the socket. The worker and the actor may use it at the same time: one reads, and the other writes.
     *
     * @return the socket, which is an {@link javax.net.ssl.SSLSocket} if the server uses TLS
     */
    Socket socket();

    /**
     * Returns the address of the other end.
     *
     * @return the address
     */
    InetSocketAddress peer();

    /**
     * Returns the actor of the connection. It handles its messages one at a time, while the worker reads. It stops when
     * the connection is closed, and its stop closes the connection.
     *
     * @return the actor, which may be passed to any other code
     */
    Actor<M, Void> actor();

    /** Closes the connection at once, which ends its worker and its actor. The method does not wait for them. */
    @Override
    void close();
}
