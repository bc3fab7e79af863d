package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import java.io.IOException;
import java.io.OutputStream;

/** Sends an answer in one version of HTTP. */
interface Responder {
    /**
     * Sends the head.
     *
     * @param length the length of the content; -1 if there is none, 0 if it is not known
     * @return a stream for the content, which must be closed at its end
     */
    OutputStream begin(int status, Headers headers, long length) throws IOException;

    /** Ends the answer. Throws if the answer is not complete. */
    void finish() throws IOException;

    /** Tells whether the connection must end with the answer. */
    boolean closes();
}
