package io.fibry.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * A request and its answer. The methods have the names of those of the JDK's {@code com.sun.net.httpserver.HttpExchange},
 * for handlers that were written for it.
 */
public interface HttpExchange {
    /**
     * Returns the method of the request.
     *
     * @return the method, for example {@code GET}
     */
    String method();

    /**
     * Returns the target of the request.
     *
     * @return the target, as it was sent
     */
    URI uri();

    /**
     * Returns the version of HTTP.
     *
     * @return the version, for example {@code HTTP/1.1}
     */
    String protocol();

    /**
     * Returns the headers of the request.
     *
     * @return the headers, which cannot be changed
     */
    HttpHeaders requestHeaders();

    /**
     * Returns the content of the request.
     *
     * @return the content, while it is received
     */
    InputStream requestBody();

    /**
     * Returns the address of the client.
     *
     * @return the address
     */
    InetSocketAddress remoteAddress();

    /**
     * Returns the address at which the server has accepted the client.
     *
     * @return the address
     */
    InetSocketAddress localAddress();

    /**
     * Returns the headers of the answer.
     *
     * @return the headers, which can be changed until they are sent
     */
    HttpHeaders responseHeaders();

    /**
     * Sends the head of the answer.
     *
     * @param status the status
     * @param length the length of the content; zero if it is not known, and -1 if there is none
     * @throws IOException if the head has been sent before, or the client has closed the connection
     */
    void sendResponseHeaders(int status, long length) throws IOException;

    /**
     * Returns the content of the answer.
     *
     * @return a stream, which can be written to when the head has been sent
     */
    OutputStream responseBody();

    /**
     * Returns the status of the answer.
     *
     * @return the status; -1 before the head is sent
     */
    int status();

    /** Ends the answer. */
    void close();
}
