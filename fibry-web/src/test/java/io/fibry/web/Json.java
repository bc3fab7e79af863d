package io.fibry.web;

import io.fibry.net.HttpJson;
import io.fibry.net.HttpProblem;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** As much JSON as the tests need: maps, lists, numbers, texts without quotes, and one record that is a text. */
final class Json implements HttpJson {
    static final HttpJson TEST = new Json();

    /** The one type that is read. */
    record Line(String text) {
    }

    @Override
    public byte[] write(Object value) {
        return json(value).getBytes(StandardCharsets.UTF_8);
    }

    private static String json(Object value) {
        return switch (value) {
            case Map<?, ?> map -> map.entrySet().stream()
                    .map(entry -> "\"" + entry.getKey() + "\":" + json(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
            case Collection<?> list ->
                list.stream().map(Json::json).collect(Collectors.joining(",", "[", "]"));
            case Line line -> json(Map.of("text", line.text));
            case Number number -> number.toString();
            default -> "\"" + value + "\"";
        };
    }

    @Override
    public <T> T read(byte[] json, Class<T> type) {
        var text = new String(json, StandardCharsets.UTF_8);
        if (!text.startsWith("{\"text\":\"") || !text.endsWith("\"}")) {
            throw new HttpProblem(400, "the JSON does not fit: text, line 1");
        }
        return type.cast(new Line(text.substring(9, text.length() - 2)));
    }

    @Override
    public <T> List<T> readList(byte[] json, Class<T> element) {
        throw new UnsupportedOperationException();
    }
}
