package io.fibry.web.internal;

import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.internal.net.TlsHandshake;
import io.fibry.net.HttpProblem;
import io.fibry.net.TlsOptions;
import io.fibry.web.Proxies;
import io.fibry.web.WebOptions;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.FixedLimit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.socket.PlainSocket;
import io.helidon.common.socket.SocketWriter;
import io.helidon.common.socket.TlsSocket;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.Router;
import io.helidon.webserver.spi.ServerConnection;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A connection, from its accept to its close. Its fiber is that of a TCP worker, which reads everything that comes. */
final class WebConnection implements ConnectionContext {
    private static final Logger LOG = Logs.of("io.fibry.web");
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int MOST_LEFT_UNREAD = 1 << 20;
    private static final long LEAVE_NANOS = Duration.ofMillis(500).toNanos();

    private final WebListener server;
    private final WebOptions options;
    private final java.net.Socket accepted;
    /**
     * The client. A proxy states another one before anything else is read. Written by the worker before the
     * first request is read.
     */
    private volatile InetSocketAddress peer;
    private final String name;
    private final StreamExecutor executor;
    private final AtomicInteger streams = new AtomicInteger();
    /** The requests of HTTP/2 that are handled, by stream. */
    private final Map<Integer, Exchange> exchanges = new ConcurrentHashMap<>();
    /** The request of HTTP/1 that is handled. Written by the worker, when a request begins and ends. */
    private volatile @Nullable Exchange exchange;
    private java.net.Socket secured;
    private @Nullable HelidonSocket socket;
    private @Nullable DataReader reader;
    private @Nullable CountedWriter writer;
    private @Nullable LiteralHeaders literals;
    private @Nullable Http2Frames frames;
    /** Written by the worker, which then reads whether the server stops; a stopper does it the other way round. */
    private volatile @Nullable Socket webSocket;
    /**
     * The time since when no request is handled; zero while one is handled. Written by its worker and streams;
     * a sweep that reads too old a time looks again.
     */
    private volatile long waitingSince;
    /** The time when the last answer was sent; zero before that. Written by its worker and streams. */
    private volatile long leavingSince;
    /** Set by the thread that cuts it, before the socket is closed. */
    private volatile boolean cut;

    WebConnection(WebListener server, WebOptions options, java.net.Socket accepted, String name) {
        this.server = server;
        this.options = options;
        this.accepted = accepted;
        this.name = name;
        secured = accepted;
        peer = (InetSocketAddress) accepted.getRemoteSocketAddress();
        executor = new StreamExecutor(server.desk(), this);
        waitingSince = now() | 1;
    }

    /** Serves the client until the client or the server ends the connection. */
    void serve() throws IOException {
        try {
            server.desk().run(this::admit, () -> cut("the client did not read"));
        } catch (CloseConnectionException | UncheckedIOException
                | DataReader.InsufficientDataAvailableException e) {
            LOG.debug("{}: {}", name, e.toString());
        } finally {
            exchanges().forEach(Exchange::abandon);
            secured.close();
        }
    }

    private void admit() {
        try {
            if (options.proxyProtocol().isPresent()) {
                peer = announced(options.proxyProtocol().get());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var client = peer.getAddress();
        if (!server.places().take(client)) {
            server.logFull(this, client);
            return;
        }
        try {
            converse();
        } finally {
            server.places().giveBack(client);
        }
    }

    private InetSocketAddress announced(Proxies proxies) throws IOException {
        if (!proxies.isTrusted(peer.getAddress())) {
            throw new IOException(peer + " is none of the proxies: " + proxies);
        }
        return ProxyHeader.read(accepted.getInputStream()).orElse(peer);
    }

    private void converse() {
        try {
            var tls = options.http().tls();
            socket = tls.isPresent() ? secure(tls.get()) : PlainSocket.server(accepted, name, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = new DataReader(socket);
        writer = new CountedWriter(SocketWriter.create(socket));
        try {
            var spoken =
                    options.http2() && speaksHttp2() ? Optional.of(server.engine().http2(this)) : http1();
            if (spoken.isPresent()) {
                handle(spoken.get());
                linger();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handle(ServerConnection http2) throws InterruptedException {
        try {
            http2.handle(FixedLimit.create());
        } catch (CloseConnectionException | UncheckedIOException
                | DataReader.InsufficientDataAvailableException e) {
            throw e;
        } catch (RuntimeException e) {
            // The frames are not well formed, and Helidon has answered with GOAWAY. Handlers run on other threads.
            LOG.debug("{}: the client's frames are not well formed", name, e);
        }
    }

    private Optional<ServerConnection> http1() throws IOException {
        var conversation =
                new Http1Conversation(this, server, options.http(),
                        options.http2() && options.http2Upgrade() && !isSecure());
        if (options.http1()) {
            return conversation.talk();
        }
        conversation.refuse(new HttpProblem(505, "this server uses HTTP/2 alone"));
        linger();
        return Optional.empty();
    }

    private HelidonSocket secure(TlsOptions tls) throws IOException {
        var ssl = TlsHandshake.accept(tls, accepted, socket -> {
            secured = socket;
            socket.setHandshakeApplicationProtocolSelector((s, offered) -> chosen(offered));
        });
        return TlsSocket.server(ssl, name, "");
    }

    /** Returns an empty text if no protocol is agreed on, and null if the handshake is to fail. */
    private @Nullable String chosen(List<String> offered) {
        return server.engine().protocols().stream().filter(offered::contains).findFirst()
                .orElse(options.http1() ? "" : null);
    }

    /**
     * Tells whether the client uses HTTP/2, by its choice in the handshake, or by as many of the first bytes as are
     * needed.
     */
    private boolean speaksHttp2() {
        if (secured instanceof SSLSocket ssl) {
            return ssl.getApplicationProtocol().equals("h2");
        }
        for (var i = 1; i <= PREFACE.length; i++) {
            if (dataReader().getBuffer(i).get(i - 1) != PREFACE[i - 1]) {
                return false;
            }
        }
        return true;
    }

    // ---- Its state. ----

    String name() {
        return name;
    }

    InetSocketAddress peer() {
        return peer;
    }

    InetSocketAddress local() {
        return (InetSocketAddress) accepted.getLocalSocketAddress();
    }

    Optional<SSLSession> session() {
        return secured instanceof SSLSocket ssl ? Optional.of(ssl.getSession()) : Optional.empty();
    }

    LiteralHeaders literalHeaders() {
        return there(literals);
    }

    /** Returns why a request of HTTP/2 must be refused, or its trailers are not well formed; empty if they are. */
    Optional<String> flaw(int stream) {
        return there(frames).flaw(stream);
    }

    WebListener server() {
        return server;
    }

    long now() {
        return server.time().nanoTime();
    }

    /** Called when a request has come. */
    void busy() {
        waitingSince = 0;
    }

    /** Called when the request is answered. */
    void idle() {
        waitingSince = now() | 1;
    }

    /** Sets the request of HTTP/1 that is handled; null if there is none. */
    void handles(@Nullable Exchange request) {
        exchange = request;
    }

    void begins(int stream, Exchange request) {
        exchanges.put(stream, request);
        if (there(frames).isReset(stream)) {
            request.abandon();
        }
    }

    void ends(int stream) {
        exchanges.remove(stream);
        there(frames).forget(stream);
    }

    /** Ends the content of a request that the client has reset, of which Helidon does not tell its reader. */
    private void abandon(int stream) {
        var request = exchanges.get(stream);
        if (request != null) {
            request.abandon();
        }
    }

    private Stream<Exchange> exchanges() {
        return Stream.concat(Stream.ofNullable(exchange), exchanges.values().stream());
    }

    void streamBegins() {
        streams.incrementAndGet();
        busy();
    }

    void streamEnds() {
        if (streams.decrementAndGet() == 0) {
            idle();
            if (isStopping()) {
                // The sweep closes it in a moment. Some clients discard answers that they have not read yet when they
                // find the connection closed.
                leavingSince = now() | 1;
            }
        }
    }

    /** Makes the connection a web socket. Returns when the socket is closed. */
    void open(Handshake handshake) throws IOException {
        busy();
        var opened = new Socket(name, this, server.crew(), handshake);
        webSocket = opened;
        if (isStopping()) {
            opened.closeAfterQueued(WebListener.GOING_AWAY);
        }
        opened.read(dataReader());
    }

    boolean isHandling(Thread thread) {
        var opened = webSocket;
        return opened != null && opened.isHandling(thread);
    }

    // ---- Its end. ----

    boolean isStopping() {
        return server.isStopping();
    }

    boolean isCut() {
        return cut;
    }

    /** Lets no further request come: ends the connection now if no request is handled, and otherwise after it. */
    void windDown() {
        var opened = webSocket;
        if (opened != null) {
            opened.closeAfterQueued(WebListener.GOING_AWAY);
        } else if (waitingSince != 0 && streams.get() == 0) {
            cut("the server is being stopped");
        } // otherwise its own thread checks this when it has answered
    }

    /**
     * Ends the output, and waits a moment for the client to end its output. If a connection is closed at once and bytes
     * of the client were not read, it is reset, and the client may lose the last answer.
     */
    void linger() throws IOException {
        leavingSince = now() | 1;
        shutdownOutput();
        var left = MOST_LEFT_UNREAD;
        while (left > 0) {
            var bytes = serverSocket().get(); // null is the end
            left -= bytes == null ? left : bytes.length;
        }
    }

    /** Closes the connection now, which ends all reads and writes. */
    void cut(String why) {
        cut = true;
        LOG.debug("{} is cut: {}", name, why);
        try {
            accepted.close();
        } catch (IOException e) {
            LOG.debug("{}: closing: {}", name, e.toString());
        }
    }

    /** Returns why the connection must be cut, or an empty optional if it need not be. */
    Optional<String> late(long now) {
        var opened = webSocket;
        if (opened != null) {
            return opened.late(now);
        }
        var leaving = leavingSince;
        if (leaving != 0 && now - leaving > LEAVE_NANOS) {
            return Optional.of("it has had its last answer");
        }
        var waiting = waitingSince;
        if (waiting != 0 && now - waiting > Durations.boundedNanos(options.idleTimeout())) {
            return Optional.of("there was no request for " + options.idleTimeout() + ", its idleTimeout");
        }
        var limits = options.http();
        var silence = Durations.boundedNanos(limits.readLimit());
        var total = Durations.boundedNanos(limits.contentLimit());
        return exchanges().anyMatch(each -> each.isLate(now, silence, total))
                ? Optional.of("nothing came of the content for " + limits.readLimit()
                        + ", its readLimit, or it took longer than " + limits.contentLimit()
                        + ", its contentLimit")
                : Optional.empty();
    }

    /** Runs a task on a fiber of its own. */
    void soon(Runnable task) {
        server.soon(task);
    }

    /** Returns a stream to the client that does not go through Helidon. */
    OutputStream output() throws IOException {
        return secured.getOutputStream();
    }

    void shutdownOutput() throws IOException {
        secured.shutdownOutput();
    }

    /** Tells the connection that the bytes from here on are frames of HTTP/2. */
    void becomesHttp2(boolean upgraded) {
        var before = dataReader();
        var read = before.available() == 0 ? new byte[0] : before.readBytes(before.available());
        var sent =
                new Http2Frames(read, serverSocket(), this::now, there(writer)::sent, this::abandon,
                        there(writer)::grant, upgraded,
                        server.engine().mostHeaderBytes());
        var headers = new LiteralHeaders();
        literals = headers;
        frames = sent;
        there(writer).answers(sent, headers);
        reader = new DataReader(sent);
    }

    // ---- For Helidon. ----

    @Override
    public ListenerContext listenerContext() {
        return server.engine();
    }

    @Override
    public ExecutorService executor() {
        return executor;
    }

    @Override
    public DataWriter dataWriter() {
        return there(writer);
    }

    @Override
    public DataReader dataReader() {
        return there(reader);
    }

    @Override
    public Router router() {
        return server.engine();
    }

    @Override
    public HelidonSocket serverSocket() {
        return there(socket);
    }

    @Override
    public PeerInfo remotePeer() {
        return serverSocket().remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
        return serverSocket().localPeer();
    }

    @Override
    public boolean isSecure() {
        return options.http().tls().isPresent();
    }

    @Override
    public String socketId() {
        return name;
    }

    @Override
    public String childSocketId() {
        return "";
    }

    private static <T> T there(@Nullable T thing) {
        if (thing == null) {
            throw new IllegalStateException("the connection is not open yet");
        }
        return thing;
    }

    @Override
    public String toString() {
        return name;
    }
}
