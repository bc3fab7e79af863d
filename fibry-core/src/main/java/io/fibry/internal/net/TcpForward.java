package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorScope;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Carries the bytes of a connection to a target and back: one actor for each direction. The end of one direction is
 * passed on as such, for the other may go on; an error of either is the end of both.
 */
final class TcpForward {
    private static final int CONNECT_MILLIS = 10_000;
    private static final int PIECE = 8_192;

    private TcpForward() {
    }

    /** What to do with connections that are to be forwarded to a host, whose address is looked up each time. */
    static Service service(InetSocketAddress target) {
        return (crew, connection) -> crew.named(connection.name()).onExit(connection::ended)
                .newReceivingActor(context -> connection.work(near -> {
                    try (var far = connected(target)) {
                        carry(crew, connection, near, far);
                    }
                }));
    }

    private static Socket connected(InetSocketAddress target) throws IOException {
        var socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(target.getHostString(), target.getPort()), CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException("cannot forward to " + target + ": " + e.getMessage(), e);
        }
    }

    /** Returns when both directions have ended. */
    private static void carry(ActorScope crew, TcpConnection connection, Socket near, Socket far)
            throws IOException {
        connection.closesToo(far);
        var back = startBack(crew, connection, near, far);
        try {
            copy(near.getInputStream(), far.getOutputStream());
            far.shutdownOutput();
            back.waitForExit();
        } catch (IOException e) {
            connection.closeWanted("it could not be carried on: " + e.getMessage());
            throw e;
        }
    }

    private static Actor<Object, Void> startBack(ActorScope crew, TcpConnection connection, Socket near,
            Socket far) {
        connection.joins();
        try {
            return crew.named(connection.name() + " back").onExit(connection::ended)
                    .newReceivingActor(context -> carryBack(connection, near, far));
        } catch (Throwable noActor) {
            connection.ended();
            throw noActor;
        }
    }

    private static void carryBack(TcpConnection connection, Socket near, Socket far) {
        try {
            copy(far.getInputStream(), near.getOutputStream());
            near.shutdownOutput();
        } catch (IOException e) {
            // Closing it ends the other direction, too; the peer sees that not all has come.
            connection.closeWanted("it could not be carried back: " + e.getMessage());
        }
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        var piece = new byte[PIECE];
        for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
            to.write(piece, 0, count);
        }
    }
}
