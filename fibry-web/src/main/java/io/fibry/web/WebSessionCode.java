package io.fibry.web;

import org.jspecify.annotations.Nullable;

/**
 * Code that a request runs inside the actor of its session.
 *
 * @param <S> the type of the state of sessions
 * @param <R> the type of the result
 */
@FunctionalInterface
public interface WebSessionCode<S, R extends @Nullable Object> {
    /**
     * Runs, with no other code of the session at the same time.
     *
     * @param state the state of the session, which must not be used after this method has returned
     * @return the result
     * @throws Exception if the code fails; the caller of {@link WebSession#ask} gets the exception
     */
    R run(S state) throws Exception;
}
