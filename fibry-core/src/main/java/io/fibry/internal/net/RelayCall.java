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
 * A user of a relay: first waits for the agent's data connection, then the two carry for each other: the user's worker
 * there, the data connection's worker back. Whatever ends one of the connections closes the other.
 */
final class RelayCall implements Closeable {
    private static final Logger LOG = Logs.of("io.fibry.net");

    private final TcpConnection user;
    private final Socket near;
    private final CompletableFuture<Far> arrived = new CompletableFuture<>();
    private final CompletableFuture<Boolean> thereDone = new CompletableFuture<>();
    private final CompletableFuture<Boolean> backDone = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The agent's data connection. */
    private record Far(TcpConnection connection, Socket socket) {
    }

    RelayCall(TcpConnection user, Socket near) {
        this.user = user;
        this.near = near;
    }

    // ---- The user's worker. ----

    /** Waits for the agent, then carries there; returns when both directions have ended. */
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
            closeFar(); // the user's own connection is closed by its worker, which is to report what went wrong
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

    /** Carries back; returns when both directions have ended, or at once if nobody waits for it any more. */
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
            // Closing it ends the other direction, too; the peer sees that not all has come.
            user.closeWanted("it could not be carried back: " + e.getMessage());
            LOG.debug("{}: {}", connection.name(), e.toString());
        } finally {
            backDone.complete(false);
            if (!thereDone.getNow(false)) {
                close();
            }
        }
    }

    // ---- Anybody. ----

    /** The agent will not come. Does not block. */
    void fail(IOException why) {
        arrived.completeExceptionally(why);
    }

    /** Ends it, for a reason that is to be reported. */
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
