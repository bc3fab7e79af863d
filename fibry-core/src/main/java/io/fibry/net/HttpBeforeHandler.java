package io.fibry.net;

/** Code that runs before the handlers of routes. It is called for many requests at the same time. */
@FunctionalInterface
public interface HttpBeforeHandler {
    /**
     * Called before the handler.
     *
     * @param call the request
     * @throws Exception an {@link HttpProblem} to answer with its status, for example 401; the handler then does not
     *     see the request. Any other exception is treated as if the handler had thrown it
     */
    void before(HttpCall call) throws Exception;
}
