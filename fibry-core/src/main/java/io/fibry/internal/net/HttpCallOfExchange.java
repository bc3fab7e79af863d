package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The request of an exchange that a route has matched. */
record HttpCallOfExchange(HttpExchange exchange, Map<String, String> parameters) implements HttpCall {
    @Override
    public String parameter(String name) {
        var value = parameters.get(Objects.requireNonNull(name, "name"));
        if (value == null) {
            throw new IllegalArgumentException(
                    "the route has no part {" + name + "}; it has " + parameters.keySet());
        }
        return value;
    }

    @Override
    public Optional<String> query(String name) {
        Objects.requireNonNull(name, "name");
        var query = exchange.getRequestURI().getRawQuery();
        if (query == null) {
            return Optional.empty();
        }
        for (var pair : query.split("&", -1)) {
            var equals = pair.indexOf('=');
            if (decode(equals < 0 ? pair : pair.substring(0, equals)).equals(name)) {
                return Optional.of(equals < 0 ? "" : decode(pair.substring(equals + 1)));
            }
        }
        return Optional.empty();
    }

    private static String decode(String encoded) {
        try {
            return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new HttpProblem(400, "the query is not well encoded", e);
        }
    }

    @Override
    public byte[] bytes() throws IOException {
        return body().readAllBytes();
    }

    @Override
    public String text() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return method() + " " + path();
    }
}
