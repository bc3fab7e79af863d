package io.fibry.web.internal;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The statements of proxies about their clients, in the order in which they were made. */
public final class ForwardedList {
    private static final String HOST = "(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::[0-9]{1,5})?";

    private ForwardedList() {
    }

    /**
     * What one proxy states.
     *
     * @param address its client; empty if that is no address
     * @param isSecure whether its client used TLS
     * @param host the host that its client named
     */
    public record Hop(Optional<InetAddress> address, Optional<Boolean> isSecure, Optional<String> host) {
    }

    /**
     * Reads the headers {@code X-Forwarded-...}. A value that was stated once holds for all; otherwise those at the ends
     * of the lists belong together.
     *
     * @param addresses the values of {@code X-Forwarded-For}
     * @param schemes the values of {@code X-Forwarded-Proto}
     * @param hosts the values of {@code X-Forwarded-Host}
     * @return the statements
     */
    public static List<Hop> of(List<String> addresses, List<String> schemes, List<String> hosts) {
        var clients = split(addresses);
        var scheme = split(schemes);
        var host = split(hosts);
        var hops = new ArrayList<Hop>();
        for (var i = 0; i < clients.size(); i++) {
            var fromEnd = clients.size() - i;
            hops.add(new Hop(address(clients.get(i)), isSecure(fromEnd(scheme, fromEnd)),
                    host(fromEnd(host, fromEnd))));
        }
        return hops;
    }

    private static List<String> split(List<String> lines) {
        return lines.stream().flatMap(line -> Arrays.stream(line.split(",", -1))).map(String::strip).toList();
    }

    private static String fromEnd(List<String> values, int position) {
        return values.isEmpty() ? "" : values.get(Math.max(0, values.size() - position));
    }

    /**
     * Reads the header {@code Forwarded}.
     *
     * @param lines its values
     * @return the statements
     */
    public static List<Hop> forwarded(List<String> lines) {
        var hops = new ArrayList<Hop>();
        for (var line : lines) {
            for (var element : unquotedSplit(line, ',')) {
                var client = "";
                var scheme = "";
                var host = "";
                for (var pair : unquotedSplit(element, ';')) {
                    var equals = pair.indexOf('=');
                    var value = equals < 0 ? "" : unquoted(pair.substring(equals + 1).strip());
                    switch (equals < 0 ? "" : pair.substring(0, equals).strip().toLowerCase(Locale.ROOT)) {
                        case "for" -> client = value;
                        case "proto" -> scheme = value;
                        case "host" -> host = value;
                        default -> {
                            // another parameter
                        }
                    }
                }
                hops.add(new Hop(address(client), isSecure(scheme), host(host)));
            }
        }
        return hops;
    }

    private static List<String> unquotedSplit(String text, char separator) {
        var parts = new ArrayList<String>();
        var isQuoted = false;
        var from = 0;
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c == '"') {
                isQuoted = !isQuoted;
            } else if (c == separator && !isQuoted) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }

    private static String unquoted(String value) {
        return value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
    }

    /** Returns the address of a client, without its port. */
    private static Optional<InetAddress> address(String client) {
        var bracket = client.indexOf(']');
        if (client.startsWith("[") && bracket > 0) {
            return client.substring(bracket + 1).matches("(?::[0-9]{1,5})?")
                    ? AddressBlock.address(client.substring(1, bracket))
                    : Optional.empty();
        }
        var colon = client.indexOf(':');
        return colon > 0 && colon == client.lastIndexOf(':')
                && client.substring(colon + 1).matches("[0-9]{1,5}")
                        ? AddressBlock.address(client.substring(0, colon))
                        : AddressBlock.address(client);
    }

    private static Optional<Boolean> isSecure(String scheme) {
        return switch (scheme.toLowerCase(Locale.ROOT)) {
            case "https", "wss" -> Optional.of(true);
            case "http", "ws" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    private static Optional<String> host(String host) {
        return host.matches(HOST) ? Optional.of(host) : Optional.empty();
    }
}
