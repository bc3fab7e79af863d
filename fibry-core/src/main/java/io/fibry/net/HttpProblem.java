package io.fibry.net;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a handler throws to answer with a status other than 500. Client and log are told apart: the text goes
 * to the client, the cause stays here.
 */
public final class HttpProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int LOWEST = 400;
    private static final int HIGHEST = 599;

    /** The status of the answer. */
    private final int status;
    /** What the answer says. */
    private final String text;

    /**
     * A problem.
     *
     * @param status the status, from 400 to 599
     * @param text what the client is told
     */
    public HttpProblem(int status, String text) {
        this(status, text, null);
    }

    /**
     * A problem with a cause.
     *
     * @param status the status, from 400 to 599
     * @param text what the client is told
     * @param cause what the client is not told
     */
    public HttpProblem(int status, String text, @Nullable Throwable cause) {
        super(text, cause);
        if (status < LOWEST || status > HIGHEST) {
            throw new IllegalArgumentException("status must be from 400 to 599: " + status);
        }
        this.status = status;
        this.text = Objects.requireNonNull(text, "text");
    }

    /** Nobody has time for the request just now. */
    static HttpProblem busy(Throwable cause) {
        return new HttpProblem(503, "too much to do; try again later", cause);
    }

    /**
     * What the client is told.
     *
     * @return the text
     */
    public String text() {
        return text;
    }

    /**
     * The status.
     *
     * @return from 400 to 599
     */
    public int status() {
        return status;
    }
}
