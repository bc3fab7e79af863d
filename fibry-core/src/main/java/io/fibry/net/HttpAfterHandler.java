package io.fibry.net;

/** Code that runs after the handlers of routes. It is called for many requests at the same time. */
@FunctionalInterface
public interface HttpAfterHandler {
    /**
     * Called with an answer before it is sent.
     *
     * @param call the request
     * @param answer the answer
     * @return the answer that is sent: the same, or another one
     * @throws Exception if the request cannot be answered; it is treated as if the handler had thrown it
     */
    HttpAnswer after(HttpCall call, HttpAnswer answer) throws Exception;
}
