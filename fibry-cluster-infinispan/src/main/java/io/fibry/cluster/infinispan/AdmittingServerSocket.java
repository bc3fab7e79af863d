package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.cluster.infinispan.NodeAdmission.ArrivedSocket;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts the connections of processes that have shown that they are nodes, and names all others in the log. Each connection has a thread of its own
 * until then, so one that sends nothing holds up no other one.
 */
final class AdmittingServerSocket extends ServerSocket {
    private static final Logger LOGGER = LoggerFactory.getLogger(AdmittingServerSocket.class);
    /** For how long a process may send nothing. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_WAITING = 256;
    private static final int PAUSE_MILLIS = 100;

    private final NodeAdmission admission;
    private final NotUnderstood notUnderstood;
    /** How long a process may take in all, so that one that sends a byte now and then holds no place for long. */
    private final Duration longest;
    private final Semaphore places = new Semaphore(MOST_WAITING);
    /** Those that have not shown yet that they are nodes. One that comes while this socket closes is closed by the thread that adds it, or by the thread that closes this socket. */
    private final Set<ArrivedSocket> atTheDoor = ConcurrentHashMap.newKeySet();
    private final LinkedBlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    // Of the one thread that accepts.
    private boolean hasBegun;

    private sealed interface Arrival {
        record Admitted(Socket socket) implements Arrival {
        }

        record Closed() implements Arrival {
        }
    }

    AdmittingServerSocket(NodeAdmission admission, NotUnderstood notUnderstood) throws IOException {
        this(admission, notUnderstood, PATIENCE.multipliedBy(2));
    }

    AdmittingServerSocket(NodeAdmission admission, NotUnderstood notUnderstood, Duration longest)
            throws IOException {
        this.admission = admission;
        this.notUnderstood = notUnderstood;
        this.longest = longest;
    }

    @Override
    public Socket accept() throws IOException {
        if (!hasBegun) {
            hasBegun = true;
            Thread.ofVirtual().name("fibry-door-" + getLocalPort()).start(this::acceptAll);
        }
        try {
            return switch (arrivals.take()) {
                case Arrival.Admitted admitted when isClosed() -> {
                    close(admitted.socket);
                    throw new SocketException("Socket closed");
                }
                case Arrival.Admitted admitted -> admitted.socket;
                case Arrival.Closed closed -> {
                    arrivals.add(closed);
                    throw new SocketException("Socket closed");
                }
            };
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SocketException("Interrupted", stopped);
        }
    }

    private void acceptAll() {
        try {
            while (!isClosed()) {
                try {
                    acceptOne();
                } catch (IOException | OutOfMemoryError failed) {
                    if (!isClosed()) {
                        // What is missing, such as a free file descriptor, may be there again soon.
                        LOGGER.error("Port {} could not accept a connection, and tries again", getLocalPort(),
                                failed);
                        pause();
                    }
                }
            }
        } finally {
            arrivals.add(new Arrival.Closed());
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void acceptOne() throws IOException {
        var arrived = new ArrivedSocket();
        implAccept(arrived);
        if (places.tryAcquire()) {
            atTheDoor.add(arrived);
            if (isClosed()) {
                close(arrived);
            }
            var begins = false;
            try {
                Thread.ofVirtual().name("fibry-door-" + getLocalPort() + "-" + arrived.getPort())
                        .start(() -> admit(arrived));
                begins = true;
            } finally {
                if (!begins) { // there is too little memory for a thread
                    close(arrived);
                    freePlace(arrived);
                }
            }
        } else {
            notUnderstood.add("A connection from " + arrived.getRemoteSocketAddress()
                    + " was closed: " + MOST_WAITING
                    + " others have not shown yet that they are nodes");
            close(arrived);
        }
    }

    private void admit(ArrivedSocket arrived) {
        var shown = new CompletableFuture<Void>().orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS);
        var unused = shown.whenComplete((done, late) -> {
            if (late != null) {
                close(arrived);
            }
        });
        try {
            arrived.setSoTimeout((int) PATIENCE.toMillis());
            if (arrived.speaks()) {
                var socket = admission.admit(arrived);
                if (!shown.complete(null)) {
                    throw new SocketTimeoutException("it has not shown that within " + longest);
                }
                arrived.setSoTimeout(0);
                arrivals.add(new Arrival.Admitted(socket));
                if (isClosed()) {
                    closeArrivals();
                }
            } else {
                // A node that wants to know whether this one lives, the probe of a load balancer, or one that is too late.
                close(arrived);
            }
        } catch (IOException refused) {
            if (shown.isCompletedExceptionally()) {
                notUnderstood.add("A process at " + arrived.getRemoteSocketAddress()
                        + " was not admitted as a node: it has not shown within " + longest
                        + " that it is one");
            } else if (hasEnded(refused)) {
                // Of two nodes that connect to each other at the same time one gives its connection up.
                LOGGER.debug("A connection has ended before it was admitted", refused);
            } else {
                notUnderstood.add("A process at " + arrived.getRemoteSocketAddress()
                        + " was not admitted as a node: " + refused.getMessage());
            }
            close(arrived);
        } catch (RuntimeException | Error failed) {
            close(arrived);
            throw failed;
        } finally {
            shown.complete(null);
            freePlace(arrived);
        }
    }

    /** A connection that was at the door was admitted or closed. */
    private void freePlace(ArrivedSocket arrived) {
        atTheDoor.remove(arrived);
        places.release();
    }

    /** Whether the other side has ended the connection, instead of saying what no node says. */
    private static boolean hasEnded(IOException refused) {
        for (Throwable each = refused; each != null; each = each.getCause()) {
            if (each instanceof SocketException || each instanceof EOFException) {
                return true;
            }
        }
        return false;
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException harmless) {
            LOGGER.debug("A connection was closed with an error", harmless);
        }
    }

    @Override
    public void close() throws IOException {
        super.close();
        atTheDoor.forEach(AdmittingServerSocket::close);
        closeArrivals();
    }

    /** Closes what no thread takes any more. */
    private void closeArrivals() {
        for (var each = arrivals.poll(); each != null; each = arrivals.poll()) {
            if (each instanceof Arrival.Admitted admitted) {
                close(admitted.socket);
            }
        }
        arrivals.add(new Arrival.Closed());
    }
}
