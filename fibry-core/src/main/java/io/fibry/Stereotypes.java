package io.fibry;

import io.fibry.function.Body;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.internal.net.HttpService;
import io.fibry.internal.net.TcpServer;
import io.fibry.internal.net.Udp;
import io.fibry.internal.scope.StereotypeActors;
import io.fibry.internal.stereotype.RunOnce;
import io.fibry.net.Connection;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.net.UdpOptions;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A catalogue of ready-made actors. A catalogue belongs to a builder, which determines the scope and the strategy of
 * the actors. Catalogues are immutable and thread-safe.
 *
 * <pre>{@code
 * Stereotypes.fibers().runOnce(() -> System.out.println("hello")).waitForExit();
 * }</pre>
 */
public final class Stereotypes {
    private static final Stereotypes THREADS = on(CreationStrategy.threads());
    private static final Stereotypes FIBERS = on(CreationStrategy.fibers());

    private final ActorBuilder builder;

    private Stereotypes(ActorBuilder builder) {
        this.builder = builder;
    }

    /**
     * Returns a catalogue of actors on platform threads, in the root scope.
     *
     * @return the catalogue
     */
    public static Stereotypes threads() {
        return THREADS;
    }

    /**
     * Returns a catalogue of actors on virtual threads, in the root scope.
     *
     * @return the catalogue
     */
    public static Stereotypes fibers() {
        return FIBERS;
    }

    /**
     * Returns a catalogue of actors on the default strategy, in the root scope.
     *
     * @return the catalogue
     */
    public static Stereotypes def() {
        return with(ActorSystem.anonymous());
    }

    /**
     * Returns a catalogue of actors on a strategy, in the root scope.
     *
     * @param strategy the strategy
     * @return the catalogue
     */
    public static Stereotypes on(CreationStrategy strategy) {
        return with(ActorSystem.anonymous().strategy(strategy));
    }

    /**
     * Returns a catalogue of actors that are made with a builder: in its scope, on its strategy, with its name, mailbox
     * and hooks.
     *
     * @param builder the builder
     * @return the catalogue
     */
    public static Stereotypes with(ActorBuilder builder) {
        return new Stereotypes(Objects.requireNonNull(builder, "builder"));
    }

    /**
     * Makes an actor that does nothing with its messages. Code can be run inside it.
     *
     * @param <M> type of the messages
     * @param state an object to keep alive with the actor; may be null
     * @return the actor
     */
    public <M> Actor<M, Void> sink(@Nullable Object state) {
        if (state == null) {
            return builder.newActor(Sink.<M>get());
        }
        return builder.state(() -> state).newActor(new StatefulSink<Object, M>());
    }

    /**
     * Makes an actor that does nothing with its messages and has a state, with which code can be run inside it. This is
     * an object that one thread at a time uses, without a lock.
     *
     * <pre>{@code
     * var log = Stereotypes.def().sinkWithState(ArrayList<String>::new);
     * log.execWithState(lines -> lines.add("started"));
     * var count = log.execFutureWithState(List::size);
     * }</pre>
     *
     * @param <S> type of the state
     * @param <M> type of the messages
     * @param initial makes the state, inside the actor
     * @return the actor
     */
    public <S, M> StatefulActor<S, M, Void> sinkWithState(Supplier<? extends S> initial) {
        return builder.<S>state(initial).newActor(new StatefulSink<S, M>());
    }

    private record Sink<M>() implements Handler<M> {
        private static final Sink<Object> INSTANCE = new Sink<>();

        @SuppressWarnings("unchecked") // it takes any message
        static <M> Handler<M> get() {
            return (Handler<M>) INSTANCE;
        }

        @Override
        public void handle(M message) {
            // what a sink is for
        }
    }

    private record StatefulSink<S, M>() implements StateHandler<S, M> {
        @Override
        public void handle(S state, M message) {
            // what a sink is for
        }
    }

    /**
     * Makes an actor that runs a piece of code at once, and stops. If the code throws, this is a failure of the actor
     * like any other.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> runOnce(Body body) {
        return RunOnce.start(builder, body);
    }

    /**
     * Makes an actor that runs a piece of code at once, and stops. An exception of the code is only logged at debug
     * level. An error is a failure of the actor like any other.
     *
     * @param <M> type of the messages; it handles none
     * @param body the code
     * @return the actor
     */
    public <M> Actor<M, Void> runOnceSilent(Body body) {
        return RunOnce.startSilent(builder, body);
    }

    /**
     * Makes an actor that passes each message to a new actor of its own, so that the messages are handled at the same
     * time. Code that is given to {@link Actor#execute} and similar methods is run in the same way. A stop waits for
     * these actors, up to its deadline.
     *
     * @param <M> type of the messages
     * @param worker handles one message
     * @return the actor
     */
    public <M> Actor<M, Void> workers(Handler<M> worker) {
        return StereotypeActors.of(builder).newWorkers(Objects.requireNonNull(worker, "worker"));
    }

    /**
     * Makes an actor as {@link #workers} does, with answers.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param worker handles one message
     * @return the actor
     */
    public <M, R extends @Nullable Object> Actor<M, R> workersWithReturn(ReplyHandler<M, R> worker) {
        return StereotypeActors.of(builder).newWorkersWithReturn(Objects.requireNonNull(worker, "worker"));
    }

    /**
     * Makes a mailbox that several actors share, with the name and the bounded mailbox of the builder. The actors to which
     * its messages are handed over can be made with any other builder.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers; {@link Void} if there are none
     * @return the mailbox, which ends with the scope
     * @throws IllegalStateException if the mailbox of the builder is not bounded, or if the scope is closed
     */
    public <M, R extends @Nullable Object> SharedMailbox<M, R> sharedMailbox() {
        return StereotypeActors.of(builder).newSharedMailbox();
    }

    /**
     * Starts a TCP server on a port of all addresses of this machine. Each connection is an actor of its own, and the
     * worker is its body: plain blocking code that reads and writes the socket. The connection is closed when the
     * worker returns. An exception of the worker is a failure of that actor. The name of the actor contains the address
     * of the client.
     *
     * @param port the port; 0 chooses any free port
     * @param worker the code that serves a connection
     * @param onListening gets the port when clients can connect; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if the server cannot listen on the port
     */
    public Server tcpAcceptor(int port, Handler<Socket> worker, @Nullable IntConsumer onListening) {
        return tcpAcceptor(TcpOptions.port(port), worker, onListening);
    }

    /**
     * Starts a TCP server as {@link #tcpAcceptor(int, Handler, IntConsumer)} does, with options.
     *
     * @param options the options of the server
     * @param worker the code that serves a connection
     * @param onListening gets the port when clients can connect; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if the server cannot listen on the address
     */
    public Server tcpAcceptor(TcpOptions options, Handler<Socket> worker, @Nullable IntConsumer onListening) {
        return TcpServer.accept(builder, options, false, worker, onListening);
    }

    /**
     * Starts a TCP server whose connections take messages while they are read. The worker of a connection reads, in an
     * actor of its own. The actor of the connection ({@link Connection#actor()}) handles the messages that are sent to
     * it, one at a time, and writes. Any thread may send to it. An I/O error of either ends the connection. When the
     * worker returns, the messages that are queued for the actor are handled before the connection is closed.
     *
     * @param <M> type of the messages
     * @param options the options of the server
     * @param worker reads the connection
     * @param handler handles a message to a connection
     * @param onListening gets the port when clients can connect; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if the server cannot listen on the address
     */
    public <M> Server tcpAcceptor(TcpOptions options, Handler<Connection<M>> worker,
            StateHandler<Connection<M>, M> handler, @Nullable IntConsumer onListening) {
        return TcpServer.converse(builder, options, false, worker, handler, onListening);
    }

    /**
     * Starts a TCP server as {@link #tcpAcceptor(int, Handler, IntConsumer)} does, but an I/O error of a worker is no
     * failure, since clients come and go. It is only logged at debug level.
     *
     * @param port the port; 0 chooses any free port
     * @param worker the code that serves a connection
     * @param onListening gets the port when clients can connect; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if the server cannot listen on the port
     */
    public Server tcpAcceptorSilent(int port, Handler<Socket> worker, @Nullable IntConsumer onListening) {
        return tcpAcceptorSilent(TcpOptions.port(port), worker, onListening);
    }

    /**
     * Starts a TCP server as {@link #tcpAcceptorSilent(int, Handler, IntConsumer)} does, with options.
     *
     * @param options the options of the server
     * @param worker the code that serves a connection
     * @param onListening gets the port when clients can connect; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if the server cannot listen on the address
     */
    public Server tcpAcceptorSilent(TcpOptions options, Handler<Socket> worker,
            @Nullable IntConsumer onListening) {
        return TcpServer.accept(builder, options, true, worker, onListening);
    }

    /**
     * Starts a TCP server as {@link #tcpAcceptor(TcpOptions, Handler, StateHandler, IntConsumer)} does, but I/O errors
     * are only logged at debug level.
     *
     * @param <M> type of the messages
     * @param options the options of the server
     * @param worker reads the connection
     * @param handler handles a message to a connection
     * @param onListening gets the port when clients can connect; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if the server cannot listen on the address
     */
    public <M> Server tcpAcceptorSilent(TcpOptions options, Handler<Connection<M>> worker,
            StateHandler<Connection<M>, M> handler, @Nullable IntConsumer onListening) {
        return TcpServer.converse(builder, options, true, worker, handler, onListening);
    }

    /**
     * Starts an HTTP server that answers every request with a text, on all addresses of the machine.
     *
     * <pre>{@code
     * Stereotypes.def().embeddedHttpServer(12345, exchange -> "Hello World!");
     * }</pre>
     *
     * @param port the port; 0 chooses any free port
     * @param handler answers the requests, as {@link #embeddedHttpServer(HttpOptions, ReplyHandler)} says
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the port cannot be used
     */
    public Server embeddedHttpServer(int port, ReplyHandler<HttpCall, String> handler) {
        return embeddedHttpServer(HttpOptions.port(port), handler);
    }

    /**
     * Starts an HTTP server that answers every request with a text, which is sent as UTF-8 with the status 200. Other answers
     * are those of {@linkplain #embeddedHttpServer(HttpOptions, HttpRoutes) routes}. If the handler throws, the client gets the
     * status 500, or the status of an {@link io.fibry.net.HttpProblem}.
     *
     * @param options the options of the server
     * @param handler answers the requests; it may block, and runs for many requests at the same time
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     */
    public Server embeddedHttpServer(HttpOptions options,
            ReplyHandler<HttpCall, String> handler) {
        return HttpService.start(builder, options, handler);
    }

    /**
     * Starts an HTTP server with routes, on all addresses of the machine.
     *
     * @param port the port; 0 chooses any free port
     * @param routes the routes, whose handlers answer the requests
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the port cannot be used
     */
    public Server embeddedHttpServer(int port, HttpRoutes routes) {
        return embeddedHttpServer(HttpOptions.port(port), routes);
    }

    /**
     * Starts an HTTP server with routes.
     *
     * @param options the options of the server
     * @param routes the routes, whose handlers answer the requests
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     */
    public Server embeddedHttpServer(HttpOptions options, HttpRoutes routes) {
        return HttpService.start(builder, options, routes);
    }

    /**
     * Starts a server that forwards TCP connections between a port and a target, in both directions. If one side closes
     * its output, the other side sees the end of its input and can still send. An error of one side resets the other.
     *
     * @param options the options of the server; with TLS, the connection to the target is still plain TCP
     * @param target the address of the target; its name is looked up for each connection
     * @param onListening gets the port when clients can connect; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if the server cannot listen on the address
     */
    public Server tcpForward(TcpOptions options, InetSocketAddress target,
            @Nullable IntConsumer onListening) {
        return TcpServer.forward(builder, options, target, onListening);
    }

    /**
     * Starts a UDP server, for single clients and multicast groups. The server is an actor that handles one datagram
     * after another, and may send others with the given socket. If too many datagrams wait, further ones are dropped,
     * and the listeners of the scope are told that they are undelivered.
     *
     * @param options the options of the server
     * @param handler handles a datagram; it may keep the datagram
     * @param onListening gets the port when datagrams can be sent to it; may be null
     * @return the server; it has no connections
     * @throws java.io.UncheckedIOException if the server cannot receive on the address
     */
    public Server udpReceiver(UdpOptions options, StateHandler<DatagramSocket, DatagramPacket> handler,
            @Nullable IntConsumer onListening) {
        return Udp.receive(builder, options, handler, onListening);
    }
}
