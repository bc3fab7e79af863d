package io.fibry.web.internal;

import io.fibry.internal.text.HttpText;
import io.fibry.web.internal.HeaderTable.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the header fields of a request of HTTP/2 must be like (RFC 9113, 8.2 and 8.3), so that they mean the same as
 * the head of a request of HTTP/1.1. Helidon 4.3.1 refuses names in capitals, HTTP/2 fields that are unknown, missing
 * or repeated, and {@code connection}. It does not check what this class checks.
 */
final class Http2Head {
    private Http2Head() {
    }

    /** Returns why a request must be refused; empty if it need not be. */
    static Optional<String> flaw(List<Field> fields, boolean isWithoutContent) {
        return fields.stream().map(Http2Head::flaw).filter(flaw -> !flaw.isEmpty()).findFirst()
                .or(() -> flawOfLength(fields, isWithoutContent));
    }

    /** Returns why the fields after the content are not well formed; empty if they are. */
    static Optional<String> flawOfTrailers(List<Field> fields) {
        return fields.stream().map(Http2Head::flawOfText).filter(flaw -> !flaw.isEmpty()).findFirst();
    }

    private static String flaw(Field field) {
        var flaw = flawOfText(field);
        if (!flaw.isEmpty()) {
            return flaw;
        }
        var value = field.value();
        return switch (field.name()) {
            // Helidon converts methods to capitals.
            case ":method" ->
                HttpText.isToken(value, value.length()) && value.equals(value.toUpperCase(Locale.ROOT)) ? ""
                        : "there is no such method; methods are written in capitals";
            case ":scheme" -> value.equalsIgnoreCase("http") || value.equalsIgnoreCase("https") ? ""
                    : "the scheme of the request must be http or https";
            case "connection" -> ""; // Helidon refuses it
            default -> Requests.OF_CONNECTIONS.contains(field.name())
                    ? "requests of HTTP/2 have no headers of connections"
                    : "";
        };
    }

    private static String flawOfText(Field field) {
        var name = field.name();
        if (!name.startsWith(":") && !HttpText.isToken(name, name.length())) {
            return "a header has no proper name";
        }
        var value = field.value();
        return value.chars().anyMatch(c -> HttpText.isControl(c) || c == 0xFFFD) // a coded byte beyond ASCII
                ? "a header has a character that it must not have" : "";
    }

    private static Optional<String> flawOfLength(List<Field> fields, boolean isWithoutContent) {
        var lengths = fields.stream().filter(field -> field.name().equals("content-length")).map(Field::value)
                .toList();
        if (lengths.isEmpty() || (lengths.size() == 1 && HttpText.isLength(lengths.getFirst())
                && (!isWithoutContent || Long.parseLong(lengths.getFirst()) == 0))) {
            return Optional.empty();
        }
        return Optional.of("the length of the content is not clear");
    }

    /** Returns the length of the content that fields announce; negative if they announce none. */
    static long length(List<Field> fields) {
        return value(fields, "content-length").map(Long::parseLong).orElse(-1L);
    }

    /** Returns fields that Helidon takes, for a request that is to be refused with a status. */
    static List<Field> refused(List<Field> fields) {
        var kept = new ArrayList<Field>();
        kept.add(new Field(":method",
                value(fields, ":method").filter(method -> method.matches("[A-Z]{1,20}")).orElse("GET")));
        kept.add(new Field(":scheme", "http"));
        kept.add(new Field(":path",
                value(fields, ":path").filter(path -> path.matches("/[!-~]*")).orElse("/")));
        return kept;
    }

    private static Optional<String> value(List<Field> fields, String name) {
        return fields.stream().filter(field -> field.name().equals(name)).map(Field::value).findFirst();
    }
}
