package io.fibry.internal.net;

import java.io.EOFException;
import java.net.Socket;

/**
 * Ends loops that do not check for the end of the stream, as {@code while (in.read() != '\n')}. Such a loop would use a processor for ever, and its connection would keep its place.
 */
final class EndGuard {
    /** How often the end of the stream may be read before it is an error. */
    static final int PATIENCE = 1_000;

    private int ends;

    /** Counts a read at the end of the stream; returns the result of that read. */
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
