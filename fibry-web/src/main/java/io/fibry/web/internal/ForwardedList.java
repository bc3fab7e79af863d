package io.fibry.web.internal;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The statements of proxies about their clients. A proxy adds its own at the end, so the lists are read from the end, and
 * only as far as each statement was made by a proxy that is trusted. The client has written what is left of these, so
 * nothing there may change how they are read: a separator ends a statement whatever stands before it.
 *
 * <p>Each character is looked at a fixed number of times. Scheme and host are read for the client alone.
 */
public final class ForwardedList {
    private static final Pattern HOST =
            Pattern.compile("(?:[A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(?::[0-9]{1,5})?");
    private static final Pattern PORT = Pattern.compile("(?::[0-9]{1,5})?");
    /** The length of the longest host with a port. */
    private static final int LONGEST = 260;

    private ForwardedList() {
    }

    /**
     * What one proxy states.
     *
     * @param address its client
     * @param isSecure whether its client used TLS
     * @param host the host that its client named
     */
    public record Hop(InetAddress address, Optional<Boolean> isSecure, Optional<String> host) {
    }

    /**
     * Reads the headers {@code X-Forwarded-...}. A scheme or a host that was stated once holds for all; otherwise the values
     * at the ends of the lists belong together.
     *
     * @param addresses the values of {@code X-Forwarded-For}
     * @param schemes the values of {@code X-Forwarded-Proto}
     * @param hosts the values of {@code X-Forwarded-Host}
     * @param isTrusted whether an address is that of a proxy that is believed
     * @return the last statement about a client that is not trusted, or the first one that can be read; empty if not even the
     *     last one can be read
     */
    public static Optional<Hop> of(List<String> addresses, List<String> schemes, List<String> hosts,
            Predicate<InetAddress> isTrusted) {
        @Nullable InetAddress client = null;
        var position = 0;
        var values = new FromEnd(addresses);
        for (var value = values.next(); value != null; value = values.next()) {
            var address = address(value);
            if (address.isEmpty()) {
                break;
            }
            client = address.get();
            position++;
            if (!isTrusted.test(client)) {
                break;
            }
        }
        return client == null ? Optional.empty()
                : Optional.of(new Hop(client, isSecure(at(schemes, position)), host(at(hosts, position))));
    }

    /** Returns the value at a position from the end, or the only value; empty if there is none. */
    private static String at(List<String> lines, int position) {
        var values = new FromEnd(lines);
        var first = "";
        for (var i = 1;; i++) {
            var value = values.next();
            if (value == null) {
                return i == 2 ? first : "";
            }
            if (i == position) {
                return value;
            }
            first = value;
        }
    }

    // ---- From the end of a list to its start. ----

    /** The values of several lines, the last one first. */
    private static final class FromEnd {
        private final List<String> lines;
        private int line;
        /** Where the value before begins, less one; -1 if it was the first of its line. */
        private int end = -1;

        FromEnd(List<String> lines) {
            this.lines = lines;
            line = lines.size();
        }

        /** Returns the value before; null if there is none. */
        @Nullable String next() {
            if (end < 0) {
                if (line == 0) {
                    return null;
                }
                end = lines.get(--line).length();
            }
            var text = lines.get(line);
            var from = text.lastIndexOf(',', end - 1) + 1;
            var value = text.substring(from, end).strip();
            end = from - 1;
            return value;
        }
    }

    // ---- What the values mean. ----

    /** Returns the address of a client, without its port. */
    private static Optional<InetAddress> address(String client) {
        if (client.length() > LONGEST) {
            return Optional.empty();
        }
        var bracket = client.indexOf(']');
        if (client.startsWith("[") && bracket > 0) {
            return PORT.matcher(client.substring(bracket + 1)).matches()
                    ? AddressBlock.address(client.substring(1, bracket))
                    : Optional.empty();
        }
        var colon = client.indexOf(':');
        return colon > 0 && colon == client.lastIndexOf(':')
                && PORT.matcher(client.substring(colon)).matches()
                        ? AddressBlock.address(client.substring(0, colon))
                        : AddressBlock.address(client);
    }

    private static Optional<Boolean> isSecure(String scheme) {
        return switch (scheme.length() > LONGEST ? "" : scheme.toLowerCase(Locale.ROOT)) {
            case "https", "wss" -> Optional.of(true);
            case "http", "ws" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    private static Optional<String> host(String host) {
        return host.length() <= LONGEST && HOST.matcher(host).matches() ? Optional.of(host)
                : Optional.empty();
    }
}
