package io.fibry.web.internal;

import io.fibry.internal.net.HttpHead;
import io.fibry.internal.net.ServedCall;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.web.WebSocketHandler;
import io.fibry.web.WebSocketRoute;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The handshake of a web socket (RFC 6455, 4.2).
 *
 * @param route the route of the request
 * @param handler handles the messages of the web socket
 * @param call the request
 * @param protocol the protocol that both sides use
 * @param deflate how messages are compressed
 */
public record Handshake(WebSocketRoute route, WebSocketHandler handler, HttpCall call,
        Optional<String> protocol, Optional<DeflateOffer> deflate) {
    private static final String SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final String VERSION = "13";
    private static final int KEY_BYTES = 16;
    private static final int UPGRADE_REQUIRED = 426;

    /**
     * Answers a request for a web socket.
     *
     * @param route the route of the request
     * @param call the request
     * @return the answer; the web socket is opened when it has been sent
     * @throws Exception what the route's opener throws, or an {@link HttpProblem} if the request is not well formed
     */
    public static HttpAnswer answer(WebSocketRoute route, HttpCall call) throws Exception {
        var served = ServedCall.of(call);
        if (served == null
                || !(served.connection() instanceof WebConnection connection)
                || !served.protocol().equals(HttpHead.HTTP_1_1)
                || !call.method().equals("GET")
                || !words(call, "Upgrade").anyMatch("websocket"::equalsIgnoreCase)
                || !words(call, "Connection").anyMatch("upgrade"::equalsIgnoreCase)) {
            return HttpAnswer.text("this is a web socket\n").status(UPGRADE_REQUIRED)
                    .header("Upgrade", "websocket")
                    .header("Connection", "Upgrade");
        }
        if (!call.header("Sec-WebSocket-Version").equals(Optional.of(VERSION))) {
            return HttpAnswer.text("this is a web socket of version 13\n").status(UPGRADE_REQUIRED)
                    .header("Sec-WebSocket-Version", VERSION);
        }
        if (served.head().contentLength() != 0) {
            throw new HttpProblem(400, "a request for a web socket must have no content");
        }
        var accept = accept(call.header("Sec-WebSocket-Key").orElse(""));
        checkOrigin(route, call);
        var protocol = protocol(route, call);
        var handler = Objects.requireNonNull(route.opener().open(call), "the opener returned no handler");
        var deflate = route.options().deflate().flatMap(
                settings -> DeflateOffer.best(call.headers("Sec-WebSocket-Extensions"),
                        settings.keepsContext()));
        var handshake = new Handshake(route, handler, call, protocol, deflate);
        served.switchTo(() -> connection.open(handshake));
        var answer = HttpAnswer.empty(204) // the status becomes 101
                .header("Upgrade", "websocket").header("Connection", "Upgrade")
                .header("Sec-WebSocket-Accept", accept);
        if (protocol.isPresent()) {
            answer = answer.header("Sec-WebSocket-Protocol", protocol.get());
        }
        return deflate.isEmpty() ? answer : answer.header("Sec-WebSocket-Extensions", deflate.get().header());
    }

    private static Stream<String> words(HttpCall call, String header) {
        return call.headers(header).stream()
                .flatMap(line -> Arrays.stream(line.split(","))).map(String::strip);
    }

    private static String accept(String key) {
        try {
            if (Base64.getDecoder().decode(key).length != KEY_BYTES) {
                throw new HttpProblem(400, "the Sec-WebSocket-Key must be 16 bytes long");
            }
            return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1")
                    .digest((key + SUFFIX).getBytes(StandardCharsets.US_ASCII)));
        } catch (IllegalArgumentException e) {
            throw new HttpProblem(400, "the Sec-WebSocket-Key is not well formed", e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    private static void checkOrigin(WebSocketRoute route, HttpCall call) {
        var allowed = route.options().origins();
        if (!allowed.isEmpty() && !call.header("Origin").map(allowed::contains).orElse(false)) {
            throw new HttpProblem(403, "web sockets are not opened from this origin");
        }
    }

    private static Optional<String> protocol(WebSocketRoute route, HttpCall call) {
        var spoken = route.options().protocols();
        if (spoken.isEmpty()) {
            return Optional.empty();
        }
        var offered = words(call, "Sec-WebSocket-Protocol").toList();
        return Optional.of(spoken.stream().filter(offered::contains).findFirst().orElseThrow(
                () -> new HttpProblem(400,
                        "one of these protocols must be spoken: " + String.join(", ", spoken))));
    }
}
