package io.fibry.net;

import java.io.OutputStream;

/** The content of an answer. */
@FunctionalInterface
public interface HttpBody {
    /**
     * Writes the content. The stream need not be flushed or closed.
     *
     * @param out the stream to the client
     * @throws Exception if the content cannot be written; the connection is then closed in the middle of the answer, so
     *     that the client can tell that the answer is incomplete
     */
    void writeTo(OutputStream out) throws Exception;

    /**
     * Returns the number of bytes.
     *
     * @return the number; less than zero if it is not known
     */
    default long length() {
        return -1;
    }

    /**
     * Returns a content that consists of the given bytes.
     *
     * @param bytes the bytes; they must not be changed any more
     * @return the content
     */
    static HttpBody of(byte[] bytes) {
        return new HttpBytes(bytes);
    }
}
