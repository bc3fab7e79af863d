package io.fibry.web.internal;

import io.fibry.internal.net.HttpHead;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
        var values = new FromEnd(addresses, ForwardedList::startOfValue);
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
        var values = new FromEnd(lines, ForwardedList::startOfValue);
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

    /**
     * Reads the header {@code Forwarded} (RFC 7239).
     *
     * @param lines its values
     * @param isTrusted whether an address is that of a proxy that is believed
     * @return the last statement about a client that is not trusted, or the first one that can be read; empty if not even the
     *     last one can be read
     */
    public static Optional<Hop> forwarded(List<String> lines, Predicate<InetAddress> isTrusted) {
        Optional<Hop> client = Optional.empty();
        var elements = new FromEnd(lines, ForwardedList::startOfElement);
        for (var element = elements.next(); element != null; element = elements.next()) {
            var hop = hop(element);
            if (hop.isEmpty()) {
                return client;
            }
            client = hop;
            if (!isTrusted.test(hop.get().address)) {
                return client;
            }
        }
        return client;
    }

    private static Optional<Hop> hop(String element) {
        var pairs = pairs(element);
        return address(pairs.getOrDefault("for", "")).map(address -> new Hop(address,
                isSecure(pairs.getOrDefault("proto", "")), host(pairs.getOrDefault("host", ""))));
    }

    /** Returns the pairs of an element; none if it is not well formed, or if a name comes twice. */
    private static Map<String, String> pairs(String element) {
        var pairs = new HashMap<String, String>();
        for (var at = 0; at < element.length();) {
            var equals = element.indexOf('=', at);
            if (equals < 0) {
                return Map.of();
            }
            var name = element.substring(at, equals).strip();
            var value = new StringBuilder();
            var end = value(element, equals + 1, value);
            if (end < 0 || !HttpHead.isToken(name, name.length())
                    || pairs.put(name.toLowerCase(Locale.ROOT), value.toString()) != null) {
                return Map.of();
            }
            at = end + 1;
        }
        return pairs;
    }

    /** Reads a value, and returns the position of the semicolon after it, or of the end; -1 if it is not well formed. */
    private static int value(String element, int from, StringBuilder value) {
        if (!element.startsWith("\"", from)) {
            var semicolon = element.indexOf(';', from);
            var end = semicolon < 0 ? element.length() : semicolon;
            value.append(element.substring(from, end).strip());
            return value.indexOf("\"") < 0 && value.indexOf("\\") < 0 && value.indexOf(" ") < 0 ? end : -1;
        }
        for (var at = from + 1; at < element.length(); at++) {
            var c = element.charAt(at);
            if (c == '"') {
                var end = at + 1;
                while (element.startsWith(" ", end) || element.startsWith("\t", end)) {
                    end++;
                }
                return end == element.length() || element.charAt(end) == ';' ? end : -1;
            }
            if (c == '\\' && ++at == element.length()) {
                return -1;
            }
            value.append(element.charAt(at));
        }
        return -1;
    }

    // ---- From the end of a list to its start. ----

    /** Finds where the last value begins. */
    private interface Start {
        /** Returns the first position of the value that ends before a position; -1 if that is not clear. */
        int of(String line, int end);
    }

    private static int startOfValue(String line, int end) {
        return line.lastIndexOf(',', end - 1) + 1;
    }

    private static int startOfElement(String line, int end) {
        var at = end - 1;
        while (at >= 0 && line.charAt(at) != ',') {
            at = line.charAt(at) == '"' ? startOfQuote(line, at) : at;
            if (at < 0) {
                return -1;
            }
            at--;
        }
        return at + 1;
    }

    /** Returns the position of the quote that begins what a quote ends; -1 if there is none. */
    private static int startOfQuote(String line, int end) {
        for (var at = end - 1; at >= 0; at--) {
            if (line.charAt(at) == '"') {
                var before = at - 1;
                while (before >= 0 && line.charAt(before) == '\\') {
                    before--;
                }
                if ((at - before) % 2 == 1) {
                    return at;
                }
                at = before + 1; // it is part of the quoted text, as are the backslashes before it
            }
        }
        return -1;
    }

    /** The values of several lines, the last one first. */
    private static final class FromEnd {
        private final List<String> lines;
        private final Start start;
        private int line;
        /** Where the value before begins, less one; -1 if it was the first of its line. */
        private int end = -1;

        FromEnd(List<String> lines, Start start) {
            this.lines = lines;
            this.start = start;
            line = lines.size();
        }

        /** Returns the value before; null if there is none, or none that is clear. */
        @Nullable String next() {
            if (end < 0) {
                if (line == 0) {
                    return null;
                }
                end = lines.get(--line).length();
            }
            var text = lines.get(line);
            var from = start.of(text, end);
            if (from < 0) {
                line = 0;
                end = -1;
                return null;
            }
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
