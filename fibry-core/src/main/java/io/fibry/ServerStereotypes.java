package io.fibry;

import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.internal.net.HttpCaller;
import io.fibry.internal.net.HttpListener;
import io.fibry.internal.net.HttpPresence;
import io.fibry.internal.net.RelayClient;
import io.fibry.internal.net.RelayServer;
import io.fibry.internal.net.Tcp;
import io.fibry.internal.net.Udp;
import io.fibry.internal.scope.Builder;
import io.fibry.net.Connection;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRetries;
import io.fibry.net.HttpRoute;
import io.fibry.net.HttpRoutes;
import io.fibry.net.HttpTextHandler;
import io.fibry.net.RelayAgentOptions;
import io.fibry.net.RelayOptions;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.net.TcpRelay;
import io.fibry.net.TcpRelayAgent;
import io.fibry.net.UdpOptions;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The servers and clients of the catalogue; see there. */
public abstract sealed class ServerStereotypes permits Stereotypes {
    final ActorBuilder builder;

    ServerStereotypes(ActorBuilder builder) {
        this.builder = builder;
    }

    /**
     * A TCP server on a port of all addresses of this machine. Each connection is an actor of its own, and the
     * worker is its body: plain code that reads and writes the socket, and blocks. The connection is closed when
     * the worker returns. What it throws is a failure of that actor, which has the peer's address in its name.
     *
     * @param port the port; 0 takes any free one
     * @param worker what to do with a connection
     * @param onListening is told the port once connections can be made; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if it cannot listen there
     */
    public Server tcpAcceptor(int port, Handler<Socket> worker, @Nullable IntConsumer onListening) {
        return tcpAcceptor(TcpOptions.port(port), worker, onListening);
    }

    /**
     * As {@link #tcpAcceptor(int, Handler, IntConsumer)}, with options.
     *
     * @param options how the server is to be
     * @param worker what to do with a connection
     * @param onListening is told the port once connections can be made; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if it cannot listen there
     */
    public Server tcpAcceptor(TcpOptions options, Handler<Socket> worker, @Nullable IntConsumer onListening) {
        return Tcp.accept(builder, options, false, worker, onListening);
    }

    /**
     * A TCP server whose connections take messages while they are read. The worker reads, in an actor of its own. Each
     * connection's actor ({@link Connection#actor()}) handles messages that anybody sends to it, one at a time, and
     * writes. An I/O error of either ends the connection. When the worker returns, what is queued for
     * the actor is still handled before the connection is closed.
     *
     * @param <M> type of the messages
     * @param options how the server is to be
     * @param worker reads the connection
     * @param handler handles a message of a connection
     * @param onListening is told the port once connections can be made; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if it cannot listen there
     */
    public <M> Server tcpAcceptor(TcpOptions options, Handler<Connection<M>> worker,
            StateHandler<Connection<M>, M> handler, @Nullable IntConsumer onListening) {
        return Tcp.converse(builder, options, false, worker, handler, onListening);
    }

    /**
     * As {@link #tcpAcceptor(int, Handler, IntConsumer)}, but an I/O error of a worker is no failure: clients come
     * and go. It is logged at debug level only.
     *
     * @param port the port; 0 takes any free one
     * @param worker what to do with a connection
     * @param onListening is told the port once connections can be made; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if it cannot listen there
     */
    public Server tcpAcceptorSilent(int port, Handler<Socket> worker, @Nullable IntConsumer onListening) {
        return tcpAcceptorSilent(TcpOptions.port(port), worker, onListening);
    }

    /**
     * As {@link #tcpAcceptorSilent(int, Handler, IntConsumer)}, with options.
     *
     * @param options how the server is to be
     * @param worker what to do with a connection
     * @param onListening is told the port once connections can be made; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if it cannot listen there
     */
    public Server tcpAcceptorSilent(TcpOptions options, Handler<Socket> worker,
            @Nullable IntConsumer onListening) {
        return Tcp.accept(builder, options, true, worker, onListening);
    }

    /**
     * As {@link #tcpAcceptor(TcpOptions, Handler, StateHandler, IntConsumer)}, but I/O errors are logged at debug
     * level only.
     *
     * @param <M> type of the messages
     * @param options how the server is to be
     * @param worker reads the connection
     * @param handler handles a message of a connection
     * @param onListening is told the port once connections can be made; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if it cannot listen there
     */
    public <M> Server tcpAcceptorSilent(TcpOptions options, Handler<Connection<M>> worker,
            StateHandler<Connection<M>, M> handler, @Nullable IntConsumer onListening) {
        return Tcp.converse(builder, options, true, worker, handler, onListening);
    }

    /**
     * An HTTP server that answers every request with a text, on all addresses of the machine.
     *
     * <pre>{@code
     * Stereotypes.def().embeddedHttpServer(12345, exchange -> "Hello World!");
     * }</pre>
     *
     * @param port where it listens; 0 takes any free port
     * @param handler what answers; it may block, and runs for many requests at the same time
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the port cannot be used
     * @throws UnsupportedOperationException if this JVM runs without the module jdk.httpserver
     */
    public Server embeddedHttpServer(int port, HttpTextHandler handler) {
        return embeddedHttpServer(HttpOptions.port(port), handler);
    }

    /**
     * An HTTP server that answers every request with a text.
     *
     * @param options how it is to be
     * @param handler what answers; it may block, and runs for many requests at the same time
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     * @throws UnsupportedOperationException if this JVM runs without the module jdk.httpserver
     */
    public Server embeddedHttpServer(HttpOptions options, HttpTextHandler handler) {
        HttpPresence.require();
        return HttpListener.start(builder, options, handler);
    }

    /**
     * An HTTP server with routes, on all addresses of the machine.
     *
     * @param port where it listens; 0 takes any free port
     * @param routes what answers
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the port cannot be used
     * @throws UnsupportedOperationException if this JVM runs without the module jdk.httpserver
     */
    public Server embeddedHttpServer(int port, HttpRoutes routes) {
        return embeddedHttpServer(HttpOptions.port(port), routes);
    }

    /**
     * An HTTP server with routes.
     *
     * @param options how it is to be
     * @param routes what answers
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     * @throws UnsupportedOperationException if this JVM runs without the module jdk.httpserver
     */
    public Server embeddedHttpServer(HttpOptions options, HttpRoutes routes) {
        HttpPresence.require();
        return HttpListener.start(builder, options, routes);
    }

    /**
     * An HTTP server all of whose requests are answered by one actor, one after the other. A client whose
     * request does not get into the actor's mailbox gets a status 503, one whose answer is late a 504.
     *
     * @param port where it listens; 0 takes any free port
     * @param actor what answers
     * @param deadline how long the actor may take for an answer, time in the mailbox included
     * @return the server, which runs until it is stopped; the actor outlives it
     * @throws java.io.UncheckedIOException if the port cannot be used
     * @throws UnsupportedOperationException if this JVM runs without the module jdk.httpserver
     */
    public Server embeddedHttpServer(int port, Actor<HttpCall, HttpAnswer> actor, Duration deadline) {
        return embeddedHttpServer(port, HttpRoutes.none().route(HttpRoute.ANY, "/{path*}",
                HttpCallHandler.asking(actor, deadline)));
    }

    /**
     * An actor that sends HTTP requests and answers with their responses, many at the same time. What fails
     * for a while is tried again, as {@code retries} says.
     *
     * @param <T> what responses are read as
     * @param client what sends the requests; it is not closed with the actor
     * @param retries when to try again, and how long in all
     * @param body reads a response, as {@code BodyHandlers.ofString()}
     * @return the actor; asking it is sending a request
     */
    public <T> Actor<HttpRequest, HttpResponse<T>> httpClient(HttpClient client, HttpRetries retries,
            HttpResponse.BodyHandler<T> body) {
        return HttpCaller.start(builder, client, retries, body);
    }

    /**
     * Forwards TCP connections: what comes in on a port goes to a target, and back. A side that has sent all is
     * passed on as such; an error of one side closes the other.
     *
     * @param options how the server is to be; with TLS it is plain TCP to the target
     * @param target where to; its name is looked up for each connection
     * @param onListening is told the port once connections can be made; may be null
     * @return the server
     * @throws java.io.UncheckedIOException if it cannot listen there
     */
    public Server tcpForward(TcpOptions options, InetSocketAddress target,
            @Nullable IntConsumer onListening) {
        return Tcp.forward(builder, options, target, onListening);
    }

    /**
     * A relay: its users are served by an agent that has connected to it ({@link #tcpRelayAgent}), from a network
     * into which nobody else can connect. For each user the agent makes a connection of its own to the relay, and
     * one to the service. Relay and agent prove to each other that they know the secret; without TLS what they
     * carry can be read and changed on the way.
     *
     * @param options how it is to be
     * @return the relay
     * @throws java.io.UncheckedIOException if it cannot listen for users or agents
     */
    public TcpRelay tcpRelay(RelayOptions options) {
        return RelayServer.start(Builder.of(builder), Objects.requireNonNull(options, "options"));
    }

    /**
     * An agent of a relay: keeps a connection to the relay, and connects again, after pauses, when that is lost;
     * gives users of the relay a service that it can reach.
     *
     * @param options how it is to be
     * @return the agent, which connects on its own
     */
    public TcpRelayAgent tcpRelayAgent(RelayAgentOptions options) {
        return RelayClient.start(Builder.of(builder), Objects.requireNonNull(options, "options"));
    }

    /**
     * A UDP server, for single peers and multicast groups: an actor that handles one datagram after the other, and may
     * send others with the socket it is given. What comes while too many wait is dropped, and told to the
     * listeners as undelivered.
     *
     * @param options how the server is to be
     * @param handler handles a datagram, which is its own to keep
     * @param onListening is told the port once datagrams can be sent; may be null
     * @return the server; it has no connections
     * @throws java.io.UncheckedIOException if it cannot receive there
     */
    public Server udpReceiver(UdpOptions options, StateHandler<DatagramSocket, DatagramPacket> handler,
            @Nullable IntConsumer onListening) {
        return Udp.receive(builder, options, handler, onListening);
    }

    @Override
    public String toString() {
        return "Stereotypes[" + builder + "]";
    }
}
