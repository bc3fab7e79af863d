package io.fibry.web.internal;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpProblem;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The value of a header with parameters, for example {@code form-data; name="a"}. A parameter that comes twice is
 * refused, since readers differ in which one they take.
 *
 * @param value what comes before the parameters, in small letters
 * @param parameters the parameters, by their names in small letters
 */
record FormHeader(String value, Map<String, String> parameters) {
    private static final int LONGEST_BOUNDARY = 70;

    /** Returns the boundary between the parts of content of a type. */
    static String boundary(String contentType) {
        var type = parse(contentType);
        if (!type.value.equals("multipart/form-data")) {
            throw new HttpProblem(415, "a form with parts is expected: multipart/form-data");
        }
        var boundary = type.parameters.getOrDefault("boundary", "");
        if (boundary.isEmpty() || boundary.length() > LONGEST_BOUNDARY || boundary.endsWith(" ")
                || !boundary.chars().allMatch(FormHeader::isOfBoundary)) {
            throw MultipartInput.malformed("its type has no proper boundary");
        }
        return boundary;
    }

    private static boolean isOfBoundary(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                || "'()+_,-./:=? ".indexOf(c) >= 0;
    }

    static FormHeader parse(String header) {
        var semicolon = header.indexOf(';');
        var parameters = new HashMap<String, String>();
        var at = semicolon < 0 ? header.length() : semicolon;
        while (at < header.length()) {
            at = skipSpaces(header, at + 1);
            if (at == header.length()) {
                break; // it ends with a semicolon
            }
            var equals = header.indexOf('=', at);
            if (equals <= at || !HttpText.isToken(header.substring(at, equals), equals - at)) {
                throw MultipartInput.malformed("a parameter of a header has no name");
            }
            var name = header.substring(at, equals).toLowerCase(Locale.ROOT);
            var text = new StringBuilder();
            at = skipSpaces(header, value(header, equals + 1, text));
            if (parameters.put(name, text.toString()) != null) {
                throw MultipartInput.malformed("a parameter of a header comes twice");
            }
            if (at < header.length() && header.charAt(at) != ';') {
                throw MultipartInput.malformed("parameters of a header are not separated");
            }
        }
        return new FormHeader(HttpText.withoutParameters(header), parameters);
    }

    /** Reads a value, which may be quoted, and returns the position after it. */
    private static int value(String header, int from, StringBuilder text) {
        if (!header.startsWith("\"", from)) {
            var semicolon = header.indexOf(';', from);
            var end = semicolon < 0 ? header.length() : semicolon;
            var plain = header.substring(from, end).strip();
            if (plain.indexOf('"') >= 0) {
                throw MultipartInput.malformed("a parameter of a header has a quote in the middle");
            }
            text.append(plain);
            return end;
        }
        for (var at = from + 1; at < header.length(); at++) {
            var c = header.charAt(at);
            if (c == '"') {
                return at + 1;
            }
            // Some browsers send paths with backslashes, so a backslash before anything but a quote stands for itself.
            if (c == '\\' && header.startsWith("\"", at + 1) && header.indexOf('"', at + 2) >= 0) {
                at++;
            }
            text.append(header.charAt(at));
        }
        throw MultipartInput.malformed("a quote of a header does not end");
    }

    private static int skipSpaces(String header, int from) {
        var at = from;
        while (at < header.length() && (header.charAt(at) == ' ' || header.charAt(at) == '\t')) {
            at++;
        }
        return at;
    }
}
