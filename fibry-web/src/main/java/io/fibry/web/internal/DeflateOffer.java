package io.fibry.web.internal;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What both sides have agreed on for the compression of messages (RFC 7692, 7.1).
 *
 * @param serverKeepsContext whether a message of the server may refer to those before
 * @param clientKeepsContext whether a message of the client may refer to those before
 * @param window whether the client has asked for a window of the server of 15 bits, the only one that Java has
 */
record DeflateOffer(boolean serverKeepsContext, boolean clientKeepsContext, boolean window) {
    private static final String NAME = "permessage-deflate";
    private static final String SERVER_FORGETS = "server_no_context_takeover";
    private static final String CLIENT_FORGETS = "client_no_context_takeover";
    private static final String SERVER_WINDOW = "server_max_window_bits";
    private static final String CLIENT_WINDOW = "client_max_window_bits";

    /** Takes the first of the client's offers that can be met. What is not well formed is no offer. */
    static Optional<DeflateOffer> best(List<String> headers, boolean keepsContext) {
        return headers.stream().flatMap(header -> Arrays.stream(header.split(",")))
                .flatMap(offer -> of(offer, keepsContext).stream()).findFirst();
    }

    private static Optional<DeflateOffer> of(String offer, boolean keepsContext) {
        var parts = Arrays.stream(offer.split(";", -1)).map(String::strip).toList();
        if (!parts.getFirst().equalsIgnoreCase(NAME)) {
            return Optional.empty();
        }
        Map<String, String> parameters = new HashMap<>();
        for (var part : parts.subList(1, parts.size())) {
            var equals = part.indexOf('=');
            var name = equals < 0 ? part : part.substring(0, equals).strip();
            var value = equals < 0 ? "" : unquoted(part.substring(equals + 1).strip());
            if (!isMet(name, equals < 0, value) || parameters.put(name, value) != null) {
                return Optional.empty();
            }
        }
        return Optional.of(new DeflateOffer(keepsContext && !parameters.containsKey(SERVER_FORGETS),
                keepsContext && !parameters.containsKey(CLIENT_FORGETS),
                parameters.containsKey(SERVER_WINDOW)));
    }

    private static String unquoted(String value) {
        return value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
    }

    private static boolean isMet(String name, boolean isBare, String value) {
        return switch (name) {
            case SERVER_FORGETS, CLIENT_FORGETS -> isBare;
            case SERVER_WINDOW -> value.equals("15"); // a smaller one cannot be had
            case CLIENT_WINDOW -> isBare || value.matches("8|9|1[0-5]"); // any of them can be read
            default -> false;
        };
    }

    /** The answer to the client. */
    String header() {
        return NAME + (serverKeepsContext ? "" : "; " + SERVER_FORGETS)
                + (clientKeepsContext ? "" : "; " + CLIENT_FORGETS)
                + (window ? "; " + SERVER_WINDOW + "=15" : "");
    }
}
