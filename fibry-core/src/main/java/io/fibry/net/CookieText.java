package io.fibry.net;

import java.util.List;
import java.util.Optional;

/** Finds cookies in the headers of a request (RFC 6265, 4.2). HTTP/2 may send a header for each cookie. */
final class CookieText {
    private CookieText() {
    }

    static Optional<String> find(List<String> headers, String name) {
        for (var header : headers) {
            for (var at = 0; at < header.length();) {
                var semicolon = header.indexOf(';', at);
                var end = semicolon < 0 ? header.length() : semicolon;
                var pair = header.substring(at, end).strip();
                if (pair.startsWith(name) && pair.startsWith("=", name.length())) {
                    return Optional.of(unquoted(pair.substring(name.length() + 1)));
                }
                at = end + 1;
            }
        }
        return Optional.empty();
    }

    private static String unquoted(String value) {
        return value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
    }
}
