package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How an HTTP server is to be. Immutable: each call returns other options.
 *
 * @param address where it listens; port 0 takes any free port
 * @param tls the keys for HTTPS
 * @param requests how many requests may be in work; one more is answered with 503
 * @param headerBytes how long the names and values of a request's headers may be in all, and how long its
 *            URI; more is answered with 431 or 414
 * @param headerCount how many headers a request may have; more are answered with 431
 * @param bodyBytes how long a request's content may be; more is answered with 413
 * @param writeLimit how long a client may take to make room for the next 64 KiB of an answer; the connection
 *            of one that takes longer is closed
 * @param readLimit how long nothing may come of a request's content while somebody waits for it, and how long the head of
 *            a request may take; the connection of a client that takes longer is closed
 * @param contentLimit how long the content of a request may take in all, however steadily it comes
 */
public record HttpOptions(InetSocketAddress address, Optional<SSLContext> tls, int requests, int headerBytes,
        int headerCount, long bodyBytes, Duration writeLimit, Duration readLimit, Duration contentLimit) {
    private static final int HEADER_BYTES = 32 * 1024;
    private static final int HEADER_COUNT = 100;
    private static final long BODY_BYTES = 16L * 1024 * 1024;
    private static final Duration WRITE_LIMIT = Duration.ofSeconds(30);
    private static final Duration READ_LIMIT = Duration.ofSeconds(60);
    private static final Duration CONTENT_LIMIT = Duration.ofHours(1);

    /**
     * Checks the numbers.
     *
     * @param address not null
     * @param tls not null
     * @param requests at least one
     * @param headerBytes at least one
     * @param headerCount at least one
     * @param bodyBytes not negative
     * @param writeLimit more than zero
     * @param readLimit more than zero
     * @param contentLimit more than zero
     */
    public HttpOptions {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(tls, "tls");
        requireAtLeast(1, requests, "requests");
        requireAtLeast(1, headerBytes, "headerBytes");
        requireAtLeast(1, headerCount, "headerCount");
        requireAtLeast(0, bodyBytes, "bodyBytes");
        requirePositive(writeLimit, "writeLimit");
        requirePositive(readLimit, "readLimit");
        requirePositive(contentLimit, "contentLimit");
    }

    private static void requirePositive(Duration limit, String name) {
        if (!Objects.requireNonNull(limit, name).isPositive()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + limit);
        }
    }

    private static void requireAtLeast(long least, long value, String name) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ": " + value);
        }
    }

    /**
     * A port on all addresses of the machine.
     *
     * @param port the port; 0 takes any free one
     * @return the options
     */
    public static HttpOptions port(int port) {
        return address(new InetSocketAddress(port));
    }

    /**
     * A port that only programs on this machine can reach.
     *
     * @param port the port; 0 takes any free one
     * @return the options
     */
    public static HttpOptions localPort(int port) {
        return address(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * An address of the machine.
     *
     * @param address the address; port 0 takes any free one
     * @return the options
     */
    public static HttpOptions address(InetSocketAddress address) {
        return new HttpOptions(address, Optional.empty(), Integer.MAX_VALUE, HEADER_BYTES, HEADER_COUNT,
                BODY_BYTES, WRITE_LIMIT, READ_LIMIT, CONTENT_LIMIT);
    }

    /**
     * The same with HTTPS.
     *
     * @param keys the keys
     * @return the options
     */
    public HttpOptions tls(SSLContext keys) {
        return new HttpOptions(address, Optional.of(keys), requests, headerBytes, headerCount, bodyBytes,
                writeLimit, readLimit, contentLimit);
    }

    /**
     * The same with another bound on the requests in work; there is none by default.
     *
     * @param most how many, at least one
     * @return the options
     */
    public HttpOptions requests(int most) {
        return new HttpOptions(address, tls, most, headerBytes, headerCount, bodyBytes,
                writeLimit, readLimit, contentLimit);
    }

    /**
     * The same with other bounds on headers; they are 32 KiB and 100 by default.
     *
     * @param bytes how many bytes, at least one
     * @param count how many headers, at least one
     * @return the options
     */
    public HttpOptions headers(int bytes, int count) {
        return new HttpOptions(address, tls, requests, bytes, count, bodyBytes,
                writeLimit, readLimit, contentLimit);
    }

    /**
     * The same with another bound on content; it is 16 MiB by default.
     *
     * @param most how many bytes
     * @return the options
     */
    public HttpOptions bodyBytes(long most) {
        return new HttpOptions(address, tls, requests, headerBytes, headerCount, most, writeLimit,
                readLimit, contentLimit);
    }

    /**
     * The same with another limit on slow readers; it is 30 seconds by default.
     *
     * @param limit more than zero
     * @return the options
     */
    public HttpOptions writeLimit(Duration limit) {
        return new HttpOptions(address, tls, requests, headerBytes, headerCount, bodyBytes, limit,
                readLimit, contentLimit);
    }

    /**
     * The same with another limit on silent senders; it is 60 seconds by default. A client whose content comes slowly but
     * steadily is served.
     *
     * @param limit more than zero
     * @return the options
     */
    public HttpOptions readLimit(Duration limit) {
        return new HttpOptions(address, tls, requests, headerBytes, headerCount, bodyBytes, writeLimit, limit,
                contentLimit);
    }

    /**
     * The same with another limit on the time that content may take in all; it is one hour by default.
     *
     * @param limit more than zero
     * @return the options
     */
    public HttpOptions contentLimit(Duration limit) {
        return new HttpOptions(address, tls, requests, headerBytes, headerCount, bodyBytes, writeLimit,
                readLimit, limit);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("address", address).with("tls", tls).with("requests", requests)
                .with("headerBytes", headerBytes).with("headerCount", headerCount)
                .with("bodyBytes", bodyBytes).with("writeLimit", writeLimit)
                .with("readLimit", readLimit).with("contentLimit", contentLimit).toString();
    }
}
