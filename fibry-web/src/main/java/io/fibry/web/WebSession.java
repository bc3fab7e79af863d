package io.fibry.web;

import io.fibry.function.ReplyHandler;
import org.jspecify.annotations.Nullable;

/**
 * The session of a request. It can be used until the request has been answered.
 *
 * @param <S> the type of the state
 */
public interface WebSession<S> {
    /**
     * Runs code inside the actor of the session, and waits for it. Code of other requests of the same session runs before
     * or after it, so the state needs no lock.
     *
     * @param <R> the type of the result
     * @param code the code, which must not use the state after it has returned
     * @return the result
     * @throws io.fibry.net.HttpProblem with status 401 if the session has ended, and with 503 if the code has not run in
     *     time
     * @throws Exception what the code throws
     */
    <R extends @Nullable Object> R ask(ReplyHandler<? super S, R> code) throws Exception;

    /**
     * Gives the session another key. The former key is void from now on. Call this when a user has logged in: a former key
     * that others know, or that was planted, is then of no use.
     *
     * @throws io.fibry.net.HttpProblem with status 401 if the session has ended
     */
    void renew();

    /** Ends the session, and makes the browser forget its cookie. */
    void end();
}
