package io.fibry.web;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A request that has been answered, for a log.
 *
 * @param began when the head of the request had come
 * @param took how long it took until the answer was sent
 * @param peer who sent the request: the client, or a proxy
 * @param method the method as it was sent; empty if the request was not well formed
 * @param target the path and the query as they were sent; empty if the request was not well formed
 * @param protocol the version, for example {@code HTTP/1.1}
 * @param headers the headers of the request, by names, in upper or lower case
 * @param status the status of the answer; 0 if there was none
 * @param bytes the length of the content that was sent
 * @param isWhole whether the answer was sent to its end
 */
public record WebAccess(Instant began, Duration took, InetSocketAddress peer, String method, String target,
        String protocol, Map<String, List<String>> headers, int status, long bytes, boolean isWhole) {
    /**
     * Checks that nothing is null.
     *
     * @param began not null
     * @param took not null
     * @param peer not null
     * @param method not null
     * @param target not null
     * @param protocol not null
     * @param headers not null; not copied
     * @param status any value
     * @param bytes any value
     * @param isWhole any value
     */
    public WebAccess {
        Objects.requireNonNull(began, "began");
        Objects.requireNonNull(took, "took");
        Objects.requireNonNull(peer, "peer");
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(protocol, "protocol");
        Objects.requireNonNull(headers, "headers");
    }

    /**
     * Returns the first value of a header of the request.
     *
     * @param name the name, in upper or lower case
     * @return the value
     */
    public Optional<String> header(String name) {
        for (var header : headers.entrySet()) {
            if (header.getKey().equalsIgnoreCase(name) && !header.getValue().isEmpty()) {
                return Optional.of(header.getValue().getFirst());
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the path, without the query, which may be secret.
     *
     * @return the path as it was sent
     */
    public String path() {
        var query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    @Override
    public String toString() {
        return "WebAccess[" + method + " " + path() + ", status=" + status + ", bytes=" + bytes + ", peer="
                + peer + "]";
    }
}
