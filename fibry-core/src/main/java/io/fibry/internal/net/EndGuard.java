package io.fibry.internal.net;

import java.io.EOFException;
import java.net.Socket;

/**
 * Ends loops that do not look for the end of the stream, as {@code while (in.read() != '\n')}: they would keep a
 * processor for ever, and their connection its place.
 */
final class EndGuard {
    /** How often the end of the stream is told before it becomes an error. */
    static final int PATIENCE = 1_000;

    private int ends;

    /** The end of the stream was read; returns what says so. */
    int end(Socket socket) throws EOFException {
        ends++;
        if (ends > PATIENCE) {
            throw new EOFException("the peer " + socket.getRemoteSocketAddress()
                    + " has sent all it will send; the worker has read on " + PATIENCE
                    + " times after the end");
        }
        return -1;
    }
}
