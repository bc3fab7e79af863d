package io.fibry.cluster.stream;

import java.io.Serial;

/** Bytes are no frame. */
public final class BadFrameException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Makes the exception with a text that names the offending value. */
    public BadFrameException(String message) {
        super(message);
    }
}
