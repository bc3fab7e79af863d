package io.fibry.internal.net;

import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.time.TimeSource;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * A user of a relay. The user's worker first waits for the agent's data connection. Then it copies the bytes of the
 * user to the agent, and the worker of the data connection copies those of the agent back. The end of one connection
 * closes the other one.
 */
final class RelayCall implements Closeable {
    private static final Logger LOG = Logs.of("io.fibry.net");

    private final TcpConnection user;
    private final Socket near;
    private final CompletableFuture<Far> arrived = new CompletableFuture<>();
    private final CompletableFuture<Boolean> thereDone = new CompletableFuture<>();
    private final CompletableFuture<Boolean> backDone = new CompletableFuture<>();
    /** Each side closes the other once, so there is no circle. */
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The agent's data connection. */
    private record Far(TcpConnection connection, Socket socket) {
    }

    RelayCall(TcpConnection user, Socket near) {
        this.user = user;
        this.near = near;
    }

    // ---- The user's worker. ----

    /** Waits for the agent, then copies to it. Returns when both directions have ended. */
    void serve(TimeSource time, Duration limit) throws Exception {
        user.alsoClose(this);
        try {
            var far = await(time, limit);
            TcpForward.copy(near.getInputStream(), far.socket.getOutputStream());
            far.socket.shutdownOutput();
            thereDone.complete(true);
            backDone.get();
        } catch (IOException e) {
            if (arrived.isDone() && !arrived.isCompletedExceptionally()) {
                user.closeWanted("it could not be carried on: " + e.getMessage());
            }
            throw e;
        } finally {
            thereDone.complete(false);
            closed.set(true);
            closeFar(); // the user's connection is closed by its worker, which reports the failure
        }
    }

    private Far await(TimeSource time, Duration limit) throws IOException, InterruptedException {
        var alarm = time.schedule(Durations.nanos(limit, "limit"),
                () -> fail(new SocketTimeoutException("the agent has not connected within " + limit)));
        try {
            return arrived.get();
        } catch (ExecutionException e) {
            var why = e.getCause();
            throw new IOException("no connection to the agent: " + (why == null ? "" : why.getMessage()),
                    why);
        } finally {
            alarm.cancel();
        }
    }

    // ---- The data connection's worker. ----

    /**
     * Copies back to the user. Returns when both directions have ended, or at once if the user does not wait any
     * more.
     */
    void carryBack(TcpConnection connection, Socket far) throws Exception {
        connection.alsoClose(this);
        if (!arrived.complete(new Far(connection, far))) {
            return;
        }
        try {
            TcpForward.copy(far.getInputStream(), near.getOutputStream());
            near.shutdownOutput();
            backDone.complete(true);
            thereDone.get();
        } catch (IOException e) {
            // The close ends the other direction, too; the peer sees that the stream is not complete.
            user.closeWanted("it could not be carried back: " + e.getMessage());
            LOG.debug("{}: {}", connection.name(), e.toString());
        } finally {
            backDone.complete(false);
            if (!thereDone.getNow(false)) {
                close();
            }
        }
    }

    // ---- Called by any thread. ----

    /** Records that the agent will not connect. Does not block. */
    void fail(IOException why) {
        arrived.completeExceptionally(why);
    }

    /** Ends the call for a reason that is reported. */
    void end(String why) {
        fail(new ConnectException(why));
        user.cutSoon(why);
    }

    /** Ends both sides. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        user.closeWanted("the other side was closed");
        closeFar();
    }

    private void closeFar() {
        fail(new ConnectException("its user has gone"));
        if (arrived.isDone() && !arrived.isCompletedExceptionally()) {
            arrived.join().connection.closeWanted("the other side was closed");
        }
    }
}
