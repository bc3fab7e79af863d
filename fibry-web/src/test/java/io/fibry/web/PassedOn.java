package io.fibry.web;

import io.fibry.net.HttpCall;
import java.io.FilterInputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** A call that a filter passes on in the place of another one. Its content is read through a stream of its own. */
record PassedOn(HttpCall call) implements HttpCall {
    @Override
    public String method() {
        return call.method();
    }

    @Override
    public URI uri() {
        return call.uri();
    }

    @Override
    public String protocol() {
        return call.protocol();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return call.remoteAddress();
    }

    @Override
    public List<String> headers(String name) {
        return call.headers(name);
    }

    @Override
    public InputStream body() {
        return new FilterInputStream(call.body()) {
        };
    }

    @Override
    public String parameter(String name) {
        return call.parameter(name);
    }

    @Override
    public <T> Optional<T> attribute(Class<T> type) {
        return call.attribute(type);
    }

    @Override
    public <T> void put(Class<T> type, T value) {
        call.put(type, value);
    }
}
