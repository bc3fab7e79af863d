package io.fibry.net;

/**
 * Answers requests whose handler has thrown an exception. It is called for many requests at the same time.
 *
 * @param <T> the class of the exceptions
 */
@FunctionalInterface
public interface HttpFailureHandler<T extends Throwable> {
    /**
     * Answers a request.
     *
     * @param call the request
     * @param failure what a handler or a filter has thrown
     * @return the answer
     * @throws Exception if the request cannot be answered; the filters outside treat it as if the handler had thrown it
     */
    HttpAnswer answer(HttpCall call, T failure) throws Exception;
}
