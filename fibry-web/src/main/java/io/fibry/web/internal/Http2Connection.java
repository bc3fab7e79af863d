package io.fibry.web.internal;

import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HttpHead;
import io.fibry.internal.net.ServedCall;
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
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A connection of HTTP/2, in the form that Helidon expects. */
final class Http2Connection implements ConnectionContext {
    private static final Logger LOG = Logs.of("io.fibry.web");

    private final WebConnection connection;
    private final HelidonSocket socket;
    private final CountedWriter writer;
    private final LiteralHeaders literals = new LiteralHeaders();
    private final Http2Streams streams;
    private final Http2Frames frames;
    private final DataReader reader;
    private final StreamExecutor executor;
    /** Keeps the number of requests and the mark of the connection together; otherwise a request could find it idle. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Where the worker waits until no request is in progress. */
    private final Condition none = lock.newCondition();
    /** How many requests are in progress. Guarded by the lock. */
    private int active;

    /** Makes the side of HTTP/2. */
    Http2Connection(WebConnection connection) throws IOException {
        this.connection = connection;
        socket = connection.socket() instanceof SSLSocket tls ? TlsSocket.server(tls, connection.name(), "")
                : PlainSocket.server(connection.socket(), connection.name(), "");
        var mostHeaderBytes = connection.site().engine().mostHeaderBytes();
        writer = new CountedWriter(SocketWriter.create(socket), Http2Streams.settings(mostHeaderBytes),
                literals, this::acknowledged);
        streams = new Http2Streams(writer);
        frames = new Http2Frames(connection.input().takeBuffered(), socket, connection::now, writer::sent,
                streams, mostHeaderBytes);
        reader = new DataReader(frames);
        executor = new StreamExecutor(this);
    }

    private void acknowledged() {
        frames.acknowledged();
    }

    /** Serves the connection up to its end. */
    void serve() throws IOException {
        serve(connection.site().engine().http2(this));
    }

    /** Takes over a connection whose first request is this one. */
    ServedCall.Step upgraded(HttpHead head) {
        var server = connection.site().engine().upgrade(this, head, frames);
        return () -> {
            connection.idle();
            serve(server);
        };
    }

    /** The place of the connection is that of its handlers, too: they may not outlive it. */
    private void serve(ServerConnection server) throws IOException {
        try {
            converse(server);
        } finally {
            waitForHandlers();
        }
    }

    private void converse(ServerConnection server) throws IOException {
        try {
            server.handle(FixedLimit.create());
        } catch (CloseConnectionException | DataReader.InsufficientDataAvailableException e) {
            throw new IOException("the connection has ended", e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (RuntimeException e) {
            // The frames are not well formed, and Helidon has answered with GOAWAY. Handlers run on other threads.
            LOG.debug("{}: the client's frames are not well formed", connection.name(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } finally {
            streams.end();
        }
        connection.linger();
    }

    private void waitForHandlers() {
        lock.lock();
        try {
            if (active > 0) {
                connection.cut("it has ended, but not all of its handlers");
            }
            while (active > 0) {
                none.awaitUninterruptibly(); // Helidon interrupts this thread when a write fails; a stop interrupts the handlers too
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- Its requests. ----

    WebConnection connection() {
        return connection;
    }

    LiteralHeaders literalHeaders() {
        return literals;
    }

    Http2Streams.Request request(int stream) {
        return streams.request(stream);
    }

    void streamBegins() {
        lock.lock();
        try {
            active++;
            connection.busy();
        } finally {
            lock.unlock();
        }
    }

    void streamEnds() {
        lock.lock();
        try {
            active--;
            if (active == 0) {
                none.signal();
                connection.idle();
                if (connection.isStopping() || frames.clientLeaves) {
                    connection.leaves();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isHandling(Thread thread) {
        return streams.all().stream().anyMatch(request -> request.isOn(thread));
    }

    /** Breaks off requests whose client is late. Returns why the connection must end, if that is of no use. */
    @Nullable String late(int now) {
        String why = null;
        for (var request : streams.all()) {
            var its = request.late(now);
            why = its == null ? why : its;
        }
        return why != null && writer.standsStill() ? why : null;
    }

    // ---- For Helidon. ----

    @Override
    public ListenerContext listenerContext() {
        return connection.site().engine();
    }

    @Override
    public ExecutorService executor() {
        return executor;
    }

    @Override
    public DataWriter dataWriter() {
        return writer;
    }

    @Override
    public DataReader dataReader() {
        return reader;
    }

    @Override
    public Router router() {
        return connection.site().engine();
    }

    @Override
    public HelidonSocket serverSocket() {
        return socket;
    }

    @Override
    public PeerInfo remotePeer() {
        return socket.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
        return socket.localPeer();
    }

    @Override
    public boolean isSecure() {
        return connection.socket() instanceof SSLSocket;
    }

    @Override
    public String socketId() {
        return connection.name();
    }

    @Override
    public String childSocketId() {
        return "";
    }

    @Override
    public String toString() {
        return connection.name();
    }
}
