package io.fibry.web;

/**
 * Learns of the requests of a {@link WebServer}. It is called on the fiber of the request after the answer has been sent,
 * for many requests at the same time, so it should be fast.
 */
@FunctionalInterface
public interface WebAccessListener {
    /**
     * Called once for each request, also if it was refused or broke off. A web socket is reported when it is opened.
     *
     * @param access the request and its answer
     * @throws Exception if the request cannot be recorded; this is logged and has no other effect
     */
    void answered(WebAccess access) throws Exception;
}
