package io.fibry.codec;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A type that a codec cannot be made of, a value that it cannot write, or bytes that it cannot read. The message names the
 * component and says what to do.
 */
public class CodecException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message what is wrong, where, and what to do
     */
    public CodecException(String message) {
        super(message);
    }

    /**
     * Makes an exception with a cause.
     *
     * @param message what is wrong, where, and what to do
     * @param cause what was thrown, or null
     */
    public CodecException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
