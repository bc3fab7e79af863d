package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the bytes of a connection to a target and back, with one actor for each direction. The end of one
 * direction is passed on, and the other direction may go on. An error of one direction ends both.
 *
 * <p>Until both directions have ended, the close of a socket is a reset (SO_LINGER of zero seconds), whatever closes it:
 * an error, a time limit, a stop, or the death of the process. So no peer takes a part of a stream for the whole.
 */
final class TcpForward {
    private static final int CONNECT_MILLIS = 10_000;
    private static final int PIECE = 8_192;

    private TcpForward() {
    }

    /**
     * Returns the service that forwards connections to a host. The address of the host is looked up for each
     * connection.
     */
    static Service service(CreationStrategy strategy, InetSocketAddress target) {
        return (crew, connection) -> crew.named(connection.name()).strategy(strategy)
                .onFailure(FailurePolicy.stop())
                .onExit(connection::ended)
                .newReceivingActor(context -> connection.work(near -> {
                    try (var far = new Socket()) {
                        connection.alsoClose(far); // a close of the one does not wait until the other is connected
                        connect(far, target);
                        near.setSoLinger(true, 0);
                        far.setSoLinger(true, 0);
                        carry(crew.named(connection.name() + " back").strategy(strategy), connection, near,
                                far);
                    }
                }));
    }

    private static void connect(Socket socket, InetSocketAddress target) throws IOException {
        try {
            socket.connect(new InetSocketAddress(target.getHostString(), target.getPort()), CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            throw new IOException("cannot forward to " + name(target) + ": " + e.getMessage(), e);
        }
    }

    /** Returns an address as the user has written it, without a look-up. */
    private static String name(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Copies in both directions; returns when both have ended. */
    private static void carry(ActorBuilder back, TcpConnection connection, Socket near, Socket far)
            throws IOException {
        Actor<Object, Void> other = connection
                .with(ended -> back.onFailure(FailurePolicy.stop()).onExit(ended::run)
                        .newReceivingActor(context -> carryBack(connection, near, far)));
        try {
            copy(near.getInputStream(), far.getOutputStream());
            far.shutdownOutput();
            other.waitForExit();
            near.setSoLinger(false, 0); // fails if the other direction has closed the sockets
            far.setSoLinger(false, 0);
        } catch (IOException e) {
            connection.closeWanted("it could not be carried on: " + e.getMessage());
            throw e;
        }
    }

    private static void carryBack(TcpConnection connection, Socket near, Socket far) {
        @Nullable String why = "its way back has failed";
        try {
            copy(far.getInputStream(), near.getOutputStream());
            near.shutdownOutput();
            why = null;
        } catch (IOException e) {
            why = "it could not be carried back: " + e.getMessage();
        } finally {
            if (why != null) {
                connection.closeWanted(why); // which ends the other direction, too
            }
        }
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        var piece = new byte[PIECE];
        for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
            to.write(piece, 0, count);
        }
    }
}
