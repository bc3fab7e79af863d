package io.fibry.net;

import java.io.OutputStream;

/** The content of an answer. */
@FunctionalInterface
public interface HttpBody {
    /**
     * Writes the content. The stream need not be flushed or closed.
     *
     * @param out the way to the client
     * @throws Exception whatever went wrong; the connection is then closed in mid-answer, so that the client
     *             sees that something is missing
     */
    void writeTo(OutputStream out) throws Exception;

    /**
     * How many bytes there will be.
     *
     * @return the number; less than zero if it is not known
     */
    default long length() {
        return -1;
    }

    /**
     * Bytes that are there already.
     *
     * @param bytes the bytes; they must not be changed any more
     * @return the content
     */
    static HttpBody of(byte[] bytes) {
        return new HttpBytes(bytes);
    }
}
