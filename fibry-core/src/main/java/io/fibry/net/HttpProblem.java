package io.fibry.net;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Thrown by a handler that answers with a status from 400 to 599. The text is sent to the client; the cause is not. */
public final class HttpProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int LOWEST = 400;
    private static final int HIGHEST = 599;
    private static final int UNAVAILABLE = 503;

    /** The status of the answer. */
    private final int status;
    /** The text of the answer. */
    private final String text;

    /**
     * Makes the exception.
     *
     * @param status the status, from 400 to 599
     * @param text the text that is sent to the client
     */
    public HttpProblem(int status, String text) {
        this(status, text, null);
    }

    /**
     * Makes the exception with a cause.
     *
     * @param status the status, from 400 to 599
     * @param text the text that is sent to the client
     * @param cause the cause, which is not sent to the client
     */
    public HttpProblem(int status, String text, @Nullable Throwable cause) {
        super(text, cause);
        if (status < LOWEST || status > HIGHEST) {
            throw new IllegalArgumentException("status must be from 400 to 599: " + status);
        }
        this.status = status;
        this.text = Objects.requireNonNull(text, "text");
    }

    /** Returns the problem of a request that cannot be handled at the moment. */
    static HttpProblem busy(Throwable cause) {
        return new HttpProblem(503, "too much to do; try again later", cause);
    }

    /**
     * Returns the answer that the client gets, unless there is a {@linkplain HttpRoutes#failing handler} of problems.
     *
     * @return an answer with status and text
     */
    public HttpAnswer answer() {
        var answer = HttpAnswer.text(text + "\n").status(status);
        return status == UNAVAILABLE ? answer.header("Retry-After", "1") : answer;
    }

    /**
     * Returns the text that is sent to the client.
     *
     * @return the text
     */
    public String text() {
        return text;
    }

    /**
     * Returns the status.
     *
     * @return the status, from 400 to 599
     */
    public int status() {
        return status;
    }
}
