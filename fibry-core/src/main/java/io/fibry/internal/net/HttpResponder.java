package io.fibry.internal.net;

import java.io.IOException;
import java.io.OutputStream;

/** Sends an answer in one version of HTTP. */
public interface HttpResponder {
    /**
     * Sends the head. The length is that of the content; -1 if there is none, and 0 if it is not known. Returns a stream
     * for the content, which must be closed at its end.
     */
    OutputStream begin(int status, HeaderList headers, long length) throws IOException;

    /** Ends the answer. Throws an exception if it is not complete. */
    void finish() throws IOException;

    /** Returns whether the connection must end with the answer. */
    boolean closes();
}
