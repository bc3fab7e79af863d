package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.internal.net.Tcp;
import io.fibry.net.Connection;
import io.fibry.net.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Clients of a TCP server that has no port. The server is that of {@link io.fibry.Stereotypes#tcpAcceptor}, with the same workers
 * and the same connections; only the sockets are in memory, as those of {@link SocketPair}.
 *
 * <pre>{@code
 * try (var scope = ActorScope.open("test");
 *         var clients = FakeTcpClient.of(scope, Chat::read, Chat::write)) {
 *     var ann = clients.connect();
 *     ann.getOutputStream().write("hello\n".getBytes());
 * }
 * }</pre>
 *
 * <p>Options of servers, such as time limits and TLS, have no part in this: test them with a server. Objects of this class are
 * thread-safe.
 */
public final class FakeTcpClient implements AutoCloseable {
    private static final int MOST_PORTS = 10_000;

    private final SocketQueue sockets;
    private final Server server;
    private final Queue<SocketPair> connections = new ConcurrentLinkedQueue<>();
    private final AtomicInteger connected = new AtomicInteger();

    private FakeTcpClient(Function<ServerSocket, Server> start) {
        try {
            sockets = new SocketQueue();
        } catch (IOException e) {
            throw new UncheckedIOException("a socket could not be made: " + e.getMessage(), e);
        }
        server = start.apply(sockets);
    }

    /**
     * Starts a server whose connections are served by a worker, as {@link io.fibry.Stereotypes#tcpAcceptor} does.
     *
     * @param scope the scope of the server; its strategy is that of the workers
     * @param worker the code that serves a connection
     * @return its clients
     */
    public static FakeTcpClient of(ActorScope scope, Handler<Socket> worker) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(worker, "worker");
        return new FakeTcpClient(sockets -> Tcp.accept(scope.anonymous(), sockets, worker));
    }

    /**
     * Starts a server whose connections take messages while they are read.
     *
     * @param <M> type of the messages
     * @param scope the scope of the server; its strategy is that of the actors
     * @param worker reads the connection
     * @param handler handles a message to a connection
     * @return its clients
     */
    public static <M> FakeTcpClient of(ActorScope scope, Handler<Connection<M>> worker,
            StateHandler<Connection<M>, M> handler) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(worker, "worker");
        Objects.requireNonNull(handler, "handler");
        return new FakeTcpClient(sockets -> Tcp.converse(scope.anonymous(), sockets, worker, handler));
    }

    /**
     * Connects one more client. Its {@link Socket#close} is what the server sees when a client goes.
     *
     * @return the end of the client
     * @throws IOException if the server is being stopped, or has stopped
     */
    public Socket connect() throws IOException {
        var pair = SocketPair.open(SocketPair.CLIENT_PORT + connected.getAndIncrement() % MOST_PORTS);
        connections.add(pair);
        sockets.add(pair.server());
        return pair.client();
    }

    /**
     * Returns the server, to stop it, or to see how many connections are open.
     *
     * @return the server; nothing listens on its address
     */
    public Server server() {
        return server;
    }

    /** Closes the sockets of all clients, and then the server. */
    @Override
    public void close() {
        for (var pair : connections) {
            try {
                pair.client().close();
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
        server.close();
    }
}
