package io.fibry.internal.net;

import io.fibry.ActorInterruptedException;
import io.fibry.function.Body;
import io.fibry.function.Handler;
import io.fibry.internal.log.Logs;
import io.fibry.time.Cancellable;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One accepted connection, until the last of its actors has ended. In every case its actors end, each of them calls
 * {@link #ended}, and the last one gives the place of the connection back.
 */
public final class TcpConnection {
    private static final Logger LOG = Logs.of("io.fibry.net");

    /**
     * Why the server has closed the connection; {@code wanted} if a failure of the user code that follows need not
     * be reported.
     */
    private record Cut(String why, boolean wanted) {
    }

    private final TcpServer server;
    private final Socket accepted;
    private final InetSocketAddress peer;
    private final String name;
    private final Cancellable deadline;
    private final AtomicInteger actors = new AtomicInteger(1);
    /** Set by the thread that closes the connection first, by CAS and before the socket is closed. */
    private final AtomicReference<@Nullable Cut> cut = new AtomicReference<>();
    /**
     * The threads that run user code for this connection now: that of the worker, and that of its actor. Each
     * is written by its own thread, which therefore finds itself here, or is not inside.
     */
    private volatile @Nullable Thread working;
    /** Written by the actor's turn. */
    private volatile @Nullable Thread handler;
    /** Written by the worker, which then reads whether the connection is closed; so both are closed in either order. */
    private volatile @Nullable Closeable alsoClosed;
    /** Used by the worker only. */
    private @Nullable Runnable afterWork;

    TcpConnection(TcpServer server, Socket accepted, long number) {
        this.server = server;
        this.accepted = accepted;
        peer = (InetSocketAddress) accepted.getRemoteSocketAddress();
        name = server.name() + "/" + peer.getAddress().getHostAddress() + ":" + peer.getPort() + "#" + number;
        var limits = server.options();
        deadline = accepted instanceof ServedSocket served
                ? Deadline.start(server.time(), limits.totalTimeout(), limits.idleTimeout(), served::movedAt,
                        why -> server.soon(() -> cut(why)))
                : () -> false;
    }

    /** Returns the name of its actor: the server, the peer, and a number, since a peer may use a port again. */
    String name() {
        return name;
    }

    InetSocketAddress peer() {
        return peer;
    }

    /** Returns whether the caller is user code that runs for this connection. */
    boolean isCalling() {
        var caller = Thread.currentThread();
        return working == caller || handler == caller;
    }

    /**
     * Sets code that runs when the worker has ended and its failure was examined. It must not run earlier, since a
     * close by this code is no reason for the failure.
     */
    void afterWork(Runnable code) {
        afterWork = code;
    }

    /** Runs the worker, then closes the connection. */
    void work(Handler<Socket> worker) throws Exception {
        working = Thread.currentThread();
        var socket = accepted;
        var done = false;
        try {
            socket = server.prepare(accepted);
            worker.handle(socket);
            done = true;
        } catch (Exception failure) {
            if (!isWanted(failure)) {
                throw named(failure);
            }
        } finally {
            working = null;
            if (afterWork != null) {
                afterWork.run();
            }
            if (!done && actors.get() > 1) {
                // Another actor may be writing. The close of TLS would wait for this actor, and the actor for the
                // peer, for ever.
                closeWanted("its worker has failed");
            }
            close(socket);
            close(accepted);
        }
    }

    /** Runs the handler of the connection's actor for a message; an I/O error is the connection's end. */
    void handle(Body code, Runnable end) throws Exception {
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

    /** Returns whether a failure need not be reported. This method then logs it. */
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

    /** Returns a failure with the reason for which the server has closed the connection, if it has. */
    private Exception named(Exception failure) {
        var closed = cut.get();
        return closed == null || !(failure instanceof IOException)
                ? failure
                : new SocketException("the connection of " + name + " was closed: " + closed.why, failure);
    }

    /** Closes the connection for a reason that its worker gets as an exception. */
    void cut(String why) {
        closeBecause(new Cut(why, false));
    }

    /** Closes the connection on purpose, soon, for a timer, which must not wait. */
    void cutSoon(String why) {
        server.soon(() -> closeWanted(why));
    }

    /** Closes the connection on purpose: the failure of its worker that follows is expected. */
    void closeWanted(String why) {
        closeBecause(new Cut(why, true));
    }

    private void closeBecause(Cut reason) {
        if (!accepted.isClosed() && cut.compareAndSet(null, reason)) {
            LOG.debug("{} is closed: {}", name, reason.why);
        }
        close(accepted);
        var other = alsoClosed;
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

    /** Closes another socket together with this connection, or at once if this one is closed already. */
    void alsoClose(Closeable other) {
        alsoClosed = other;
        if (accepted.isClosed()) {
            close(other);
        }
    }

    /**
     * Makes one more actor of this connection.
     *
     * @param maker makes the actor; it gets the code to run when the actor has ended
     * @return what the maker returns
     */
    <A> A with(Function<Runnable, A> maker) {
        actors.incrementAndGet();
        var done = new AtomicBoolean();
        Runnable end = () -> {
            if (done.compareAndSet(false, true)) {
                ended();
            }
        };
        try {
            return maker.apply(end);
        } catch (Throwable noActor) {
            end.run();
            throw noActor;
        }
    }

    /** Counts an actor that has ended or could not be made. The last one closes the socket, if its worker never ran. */
    void ended() {
        if (actors.decrementAndGet() == 0) {
            close(accepted);
            deadline.cancel();
            server.ended(this);
        }
    }
}
