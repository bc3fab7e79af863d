package io.fibry.web;

import io.fibry.net.HttpJson;
import io.fibry.net.HttpProblem;
import java.util.Objects;

/** Reads texts for a handler of values. */
final class JsonTexts<T> implements WebSocketHandler {
    private final WebSocketJsonHandler<T> handler;
    private final HttpJson json;
    private final Class<T> type;

    JsonTexts(WebSocketJsonHandler<T> handler, HttpJson json, Class<T> type) {
        this.handler = handler;
        this.json = Objects.requireNonNull(json, "json");
        this.type = Objects.requireNonNull(type, "type");
    }

    @Override
    public void opened(WebSocket socket) throws Exception {
        handler.opened(socket);
    }

    @Override
    public void text(WebSocket socket, String text) throws Exception {
        T message;
        try {
            message = json.parse(text, type);
        } catch (HttpProblem problem) {
            handler.malformed(socket, problem);
            return;
        }
        handler.message(socket, message);
    }

    @Override
    public void closed(WebSocket socket, WebSocketClose close) throws Exception {
        handler.closed(socket, close);
    }
}
