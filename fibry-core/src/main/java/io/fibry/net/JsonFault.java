package io.fibry.net;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Thrown by a {@link JsonFormat} if what a client has sent is no JSON, or does not fit. The client gets the status 400. */
public final class JsonFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The text for the client. */
    private final String text;

    /**
     * Makes the exception.
     *
     * @param text the text that is sent to the client, for example {@code items[2].price, line 7, column 12}; it should
     *     not name classes of the program
     * @param cause the exception of the library, which is not sent to the client
     */
    public JsonFault(String text, @Nullable Throwable cause) {
        super(text, cause);
        this.text = Objects.requireNonNull(text, "text");
    }

    /**
     * Returns the text that is sent to the client.
     *
     * @return the text
     */
    public String text() {
        return text;
    }
}
