package io.fibry.internal.net;

import java.io.IOException;
import java.io.OutputStream;

/** Sends an answer in one version of HTTP. */
public interface HttpResponder {
    /**
     * Sends the head.
     *
     * @param status the status
     * @param headers the headers
     * @param length the length of the content; -1 if there is none, 0 if it is not known
     * @return a stream for the content, which must be closed at its end
     * @throws IOException if the head cannot be sent
     */
    OutputStream begin(int status, HeaderList headers, long length) throws IOException;

    /**
     * Ends the answer.
     *
     * @throws IOException if the answer is not complete
     */
    void finish() throws IOException;

    /**
     * Returns whether the connection must end with the answer.
     *
     * @return whether it must
     */
    boolean closes();
}
