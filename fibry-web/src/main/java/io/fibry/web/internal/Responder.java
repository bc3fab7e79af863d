package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import java.io.IOException;
import java.io.OutputStream;

/** Sends an answer in one version of HTTP. */
interface Responder {
    /**
     * Sends the head.
     *
     * @param length how long the content is: -1 for none, 0 for not known
     * @return takes the content, and must be closed at its end
     */
    OutputStream begin(int status, Headers headers, long length) throws IOException;

    /** Ends the answer; fails if it is not whole. */
    void finish() throws IOException;

    /** Whether the connection must end with it. */
    boolean closes();
}
