package io.fibry.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A JSON object in the making. */
final class Json {
    private final List<String> members = new ArrayList<>();

    Json field(String name, Object value) {
        return raw(name, value instanceof Number ? value.toString() : quoted(value.toString()));
    }

    Json numbers(String name, List<Double> values) {
        return raw(name, values.toString());
    }

    <T> Json array(String name, List<T> elements, Function<T, Json> toJson) {
        return raw(name, elements.stream().map(toJson).map(Json::toString)
                .collect(Collectors.joining(",\n", "[\n", "\n]")));
    }

    private Json raw(String name, String value) {
        members.add(quoted(name) + ": " + value);
        return this;
    }

    private static String quoted(String text) {
        var escaped = new StringBuilder("\"");
        for (var c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                escaped.append('\\').append(c);
            } else if (c < ' ') {
                escaped.append(String.format("\\u%04x", (int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.append('"').toString();
    }

    @Override
    public String toString() {
        return "{" + String.join(", ", members) + "}";
    }
}
