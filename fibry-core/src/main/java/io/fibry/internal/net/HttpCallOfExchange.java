package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.net.HttpCall;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The request of an exchange that a route has matched. */
final class HttpCallOfExchange implements HttpCall {
    private final HttpExchange exchange;
    private final Map<String, String> parameters;
    private @Nullable Map<Class<?>, Object> attributes;

    HttpCallOfExchange(HttpExchange exchange, Map<String, String> parameters) {
        this.exchange = exchange;
        this.parameters = parameters;
    }

    @Override
    public HttpExchange exchange() {
        return exchange;
    }

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
    public <T> Optional<T> attribute(Class<T> type) {
        Objects.requireNonNull(type, "type");
        return attributes == null ? Optional.empty() : Optional.ofNullable(type.cast(attributes.get(type)));
    }

    @Override
    public <T> void put(Class<T> type, T value) {
        Objects.requireNonNull(type, "type");
        if (attributes == null) {
            attributes = new HashMap<>(4);
        }
        attributes.put(type, Objects.requireNonNull(value, "value"));
    }

    @Override
    public List<X509Certificate> certificates() {
        return SecuredExchange.certificates(exchange);
    }

    @Override
    public byte[] bytes() throws IOException {
        return body().readAllBytes();
    }

    @Override
    public String toString() {
        return method() + " " + path();
    }
}
