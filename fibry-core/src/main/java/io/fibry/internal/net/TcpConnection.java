package io.fibry.internal.net;

import io.fibry.ActorInterruptedException;
import io.fibry.internal.log.Logs;
import io.fibry.time.Cancellable;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One accepted connection, until the last of its actors has ended. Whatever happens to it, its actors end, each of them
 * calls {@link #ended}, and the last one gives its place back.
 */
final class TcpConnection {
    private static final Logger LOG = Logs.of("io.fibry.net");

    /** Why we closed it; {@code wanted} if nobody needs to hear that its user code then failed. */
    private record Cut(String why, boolean wanted) {
    }

    private final TcpServer server;
    private final Socket accepted;
    private final InetSocketAddress peer;
    private final String name;
    private final Cancellable deadline;
    private final AtomicInteger actors = new AtomicInteger(1);
    private final AtomicReference<@Nullable Cut> cut = new AtomicReference<>();
    /** Threads that run the user's code for it now: the worker's, and that of its actor if it is another one. */
    private volatile @Nullable Thread worker;
    private volatile @Nullable Thread handler;
    private volatile @Nullable Closeable companion;
    /** The worker's alone. */
    private @Nullable Runnable afterWork;

    TcpConnection(TcpServer server, Socket accepted, long number) {
        this.server = server;
        this.accepted = accepted;
        peer = (InetSocketAddress) accepted.getRemoteSocketAddress();
        name = server.name() + "/" + peer.getAddress().getHostAddress() + ":" + peer.getPort() + "#" + number;
        var limits = server.options();
        deadline = accepted instanceof ServedSocket served
                ? Deadline.start(server.time(), limits.totalTimeout(), limits.idleTimeout(), served::movedAt,
                        Deadline.Names.OF_CONNECTIONS, this::cutSoon)
                : () -> false;
    }

    /** Closes it for a reason that its worker is to hear; does not block. */
    void cutSoon(String why) {
        server.cut(this, why);
    }

    /** What its actor is called: by the server, the peer, and a number, since a peer's port may come again. */
    String name() {
        return name;
    }

    InetSocketAddress peer() {
        return peer;
    }

    /** When a byte was last read or written; if its server's sockets know. */
    long movedAt() {
        return accepted instanceof ServedSocket served ? served.movedAt() : 0;
    }

    /** Whether the calling code is user code that runs for this connection. */
    boolean isCalling() {
        var caller = Thread.currentThread();
        return worker == caller || handler == caller;
    }

    /** User code. */
    @FunctionalInterface
    interface Code {
        void run() throws Exception;
    }

    /** User code of the worker. */
    @FunctionalInterface
    interface Work {
        void run(Socket socket) throws Exception;
    }

    /**
     * What to do when the worker has ended, and what it has thrown was looked at: not before, as whatever closes the
     * connection then is no reason for its failure.
     */
    void afterWork(Runnable code) {
        afterWork = code;
    }

    /** Runs the worker, then closes the connection. */
    void work(Work work) throws Exception {
        worker = Thread.currentThread();
        var socket = accepted;
        var done = false;
        try {
            socket = server.prepare(accepted);
            work.run(socket);
            done = true;
        } catch (Exception failure) {
            failed(failure);
        } finally {
            worker = null;
            if (afterWork != null) {
                afterWork.run();
            }
            if (!done && actors.get() > 1) {
                // Another actor may be writing. The end of TLS would wait for it, and it for the peer, for ever.
                closeWanted("its worker has failed");
            }
            close(socket);
            close(accepted);
        }
    }

    /** Runs the handler of the connection's actor for a message; an I/O error is the connection's end. */
    void handle(Code code, Runnable end) throws Exception {
        handler = Thread.currentThread();
        try {
            code.run();
        } catch (IOException | UncheckedIOException failure) {
            end.run();
            var silent = isWanted(failure);
            closeWanted("its actor failed to write");
            if (!silent) {
                throw named(failure);
            }
        } finally {
            handler = null;
        }
    }

    private void failed(Exception failure) throws Exception {
        if (!isWanted(failure)) {
            throw named(failure);
        }
    }

    /** Whether a failure is nobody's business; it is logged then. */
    private boolean isWanted(Exception failure) {
        var io = failure instanceof IOException || failure instanceof UncheckedIOException;
        var closed = cut.get();
        var ours = closed != null && closed.wanted
                && (io || failure instanceof InterruptedException
                        || failure instanceof ActorInterruptedException);
        if (ours || (io && server.isSilent())) {
            LOG.debug("{}: {}", name, named(failure).toString());
            return true;
        }
        return false;
    }

    /** A failure with the reason that we know and the socket does not. */
    private Exception named(Exception failure) {
        var closed = cut.get();
        return closed == null || !(failure instanceof IOException)
                ? failure
                : new SocketException("the connection of " + name + " was closed: " + closed.why, failure);
    }

    /** Closes it for a reason that its worker is to hear. */
    void cut(String why) {
        closeBecause(new Cut(why, false));
    }

    /** Closes it because somebody wants that: its worker is expected to fail. */
    void closeWanted(String why) {
        closeBecause(new Cut(why, true));
    }

    private void closeBecause(Cut reason) {
        if (!accepted.isClosed() && cut.compareAndSet(null, reason)) {
            LOG.debug("{} is closed: {}", name, reason.why);
        }
        close(accepted);
        var other = companion;
        if (other != null) {
            close(other);
        }
    }

    private void close(Closeable socket) {
        close(socket, name);
    }

    static void close(Closeable socket, String name) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("{}: closing the socket: {}", name, e.toString());
        }
    }

    /** Closes another socket with it; at once, if it is closed already. */
    void alsoClose(Closeable other) {
        companion = other;
        if (accepted.isClosed()) {
            close(other);
        }
    }

    /**
     * It has one more actor.
     *
     * @return to be run when that one has ended, or could not be made; or both, as far as anybody can tell
     */
    Runnable joins() {
        actors.incrementAndGet();
        return new Once(this::ended);
    }

    /** One of its actors has ended, or could not be made. For its first one: told twice it does no harm. */
    void ended() {
        close(accepted);
        if (actors.decrementAndGet() == 0) {
            deadline.cancel();
            server.ended(this);
        }
    }
}
