package io.fibry.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The options of an HTTP server. Options are immutable: each call returns other options.
 *
 * @param address the address to listen on; port 0 chooses any free port
 * @param backlog how many connections may wait in the system until they are accepted
 * @param tls the keys for HTTPS
 * @param requests how many requests may be handled at the same time; further requests are answered with 503
 * @param headerBytes how long the names and values of the headers of a request may be in all, and how long its URI may
 *     be; longer ones are answered with 431 or 414
 * @param headerCount how many headers a request may have; a request with more is answered with 431
 * @param bodyBytes how long the content of a request may be; longer content is answered with 413
 * @param writeLimit how long a client may take to receive the next 64 KiB of an answer; the connection of a client that
 *     takes longer is closed
 * @param readLimit how long no byte of the content of a request may come while the handler waits for it, and how long
 *     the head of a request may take; the connection of a client that takes longer is closed
 * @param contentLimit how long the content of a request may take in all, even if it comes steadily
 */
public record HttpOptions(InetSocketAddress address, int backlog, Optional<TlsOptions> tls, int requests,
        int headerBytes, int headerCount, long bodyBytes, Duration writeLimit, Duration readLimit,
        Duration contentLimit) {
    /** With the 50 that the JDK allows by default, many clients that come at once would wait for seconds. */
    private static final int BACKLOG = 4_096;
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
     * @param backlog at least one
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
        requireAtLeast(1, backlog, "backlog");
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
     * Returns options for a port on all addresses of the machine.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static HttpOptions port(int port) {
        return address(new InetSocketAddress(port));
    }

    /**
     * Returns options for a port that only programs on this machine can reach.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static HttpOptions localPort(int port) {
        return address(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * Returns options for an address of the machine.
     *
     * @param address the address; port 0 chooses any free port
     * @return the options
     */
    public static HttpOptions address(InetSocketAddress address) {
        return new HttpOptions(address, BACKLOG, Optional.empty(), Integer.MAX_VALUE, HEADER_BYTES,
                HEADER_COUNT,
                BODY_BYTES, WRITE_LIMIT, READ_LIMIT, CONTENT_LIMIT);
    }

    /**
     * Returns the same options with another limit of the connections that may wait until they are accepted. It is 4,096 by
     * default. The operating system may have a lower limit of its own.
     *
     * @param most the number, at least one
     * @return the new options
     */
    public HttpOptions backlog(int most) {
        return new HttpOptions(address, most, tls, requests, headerBytes, headerCount, bodyBytes,
                writeLimit, readLimit, contentLimit);
    }

    /**
     * Returns the same options with HTTPS, for clients that show no certificates.
     *
     * @param keys the keys
     * @return the new options
     */
    public HttpOptions tls(SSLContext keys) {
        return tls(TlsOptions.of(Objects.requireNonNull(keys, "keys")));
    }

    /**
     * Returns the same options with HTTPS.
     *
     * @param settings the keys, the versions of TLS, and whether clients show certificates
     * @return the new options
     */
    public HttpOptions tls(TlsOptions settings) {
        return new HttpOptions(address, backlog, Optional.of(settings), requests, headerBytes, headerCount,
                bodyBytes, writeLimit, readLimit, contentLimit);
    }

    /**
     * Returns the same options with another limit of requests that are handled at the same time. There is no limit by
     * default.
     *
     * @param most the limit, at least one
     * @return the new options
     */
    public HttpOptions requests(int most) {
        return new HttpOptions(address, backlog, tls, most, headerBytes, headerCount, bodyBytes,
                writeLimit, readLimit, contentLimit);
    }

    /**
     * Returns the same options with other limits of headers. They are 32 KiB and 100 headers by default.
     *
     * @param bytes the number of bytes, at least one
     * @param count the number of headers, at least one
     * @return the new options
     */
    public HttpOptions headers(int bytes, int count) {
        return new HttpOptions(address, backlog, tls, requests, bytes, count, bodyBytes,
                writeLimit, readLimit, contentLimit);
    }

    /**
     * Returns the same options with another limit of content. It is 16 MiB by default.
     *
     * @param most the number of bytes
     * @return the new options
     */
    public HttpOptions bodyBytes(long most) {
        return new HttpOptions(address, backlog, tls, requests, headerBytes, headerCount, most, writeLimit,
                readLimit, contentLimit);
    }

    /**
     * Returns the same options with another limit for clients that read slowly. It is 30 seconds by default.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public HttpOptions writeLimit(Duration limit) {
        return new HttpOptions(address, backlog, tls, requests, headerBytes, headerCount, bodyBytes, limit,
                readLimit, contentLimit);
    }

    /**
     * Returns the same options with another limit for clients that do not send. It is 60 seconds by default. A client
     * whose content comes slowly but steadily is served.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public HttpOptions readLimit(Duration limit) {
        return new HttpOptions(address, backlog, tls, requests, headerBytes, headerCount, bodyBytes,
                writeLimit, limit,
                contentLimit);
    }

    /**
     * Returns the same options with another limit of the time that content may take in all. It is one hour by default.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public HttpOptions contentLimit(Duration limit) {
        return new HttpOptions(address, backlog, tls, requests, headerBytes, headerCount, bodyBytes,
                writeLimit,
                readLimit, limit);
    }
}
