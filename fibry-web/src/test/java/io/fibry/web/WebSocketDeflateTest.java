package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Promise;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are compressed. */
class WebSocketDeflateTest {
    private static final int MOST = 100_000;
    private static final int COMPRESSED = 0x40;
    private static final String BOTH = "; server_no_context_takeover; client_no_context_takeover";

    private final ActorScope scope = ActorSystem.open("deflate");
    private final Server server = WebServer.start(scope.anonymous(), WebOptions.localPort(0),
            HttpRoutes.none()
                    .get("/plain", WebSocketRoute.of(new Echo()))
                    .get("/", route(WebSocketDeflate.standard()))
                    .get("/context", route(WebSocketDeflate.standard().leastBytes(1).keepsContext(true))));

    private static WebSocketRoute route(WebSocketDeflate deflate) {
        return WebSocketRoute.of(new Echo())
                .with(WebSocketOptions.standard().messageBytes(MOST).deflate(deflate));
    }

    private static final class Echo implements WebSocketHandler {
        @Override
        public void text(WebSocket socket, String text) {
            socket.send(text);
        }

        @Override
        public void binary(WebSocket socket, byte[] bytes) {
            socket.send(bytes);
        }
    }

    @AfterEach
    void stop() {
        scope.close();
    }

    private RawSocket open(String path) throws Exception {
        var client = new RawSocket(server.port());
        assertThat(client.ask(path, "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"))
                .contains(" 101 ");
        return client;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] deflated(Deflater deflater, byte[] bytes) {
        deflater.setInput(bytes);
        var buffer = new byte[bytes.length + 1_000];
        var count = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
        return Arrays.copyOf(buffer, count - 4);
    }

    private static byte[] deflated(byte[] bytes) {
        return deflated(new Deflater(9, true), bytes);
    }

    private static byte[] inflated(Inflater inflater, byte[] bytes) throws Exception {
        var out = new ByteArrayOutputStream();
        var buffer = new byte[10_000];
        for (var input : new byte[][]{bytes, {0, 0, (byte) 0xFF, (byte) 0xFF}}) {
            inflater.setInput(input);
            for (var count = inflater.inflate(buffer); count > 0; count = inflater.inflate(buffer)) {
                out.write(buffer, 0, count);
            }
        }
        return out.toByteArray();
    }

    private static void send(RawSocket client, int opcode, boolean isLast, byte[] payload) throws Exception {
        client.raw(RawSocket.bytes((isLast ? 0x80 : 0) | COMPRESSED | opcode, payload));
    }

    @Promise("76.6")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            permessage-deflate | permessage-deflate; server_no_context_takeover; client_no_context_takeover
            permessage-deflate; client_max_window_bits | permessage-deflate; server_no_context_takeover; client_no_context_takeover
            permessage-deflate; client_max_window_bits="9" | permessage-deflate; server_no_context_takeover; client_no_context_takeover
            permessage-deflate; server_max_window_bits=15 | permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=15
            permessage-deflate; server_max_window_bits=10, permessage-deflate | permessage-deflate; server_no_context_takeover; client_no_context_takeover
            permessage-deflate; server_max_window_bits=10 |
            permessage-deflate; server_max_window_bits |
            permessage-deflate; client_max_window_bits=16 |
            permessage-deflate; client_max_window_bits=8; client_max_window_bits=8 |
            permessage-deflate; server_no_context_takeover=1 |
            permessage-deflate; other |
            permessage-deflate; |
            x-webkit-deflate-frame |
            """)
    void theFirstOfferThatCanBeMetIsAgreedOn(String offer, String answer) throws Exception {
        try (var client = new RawSocket(server.port())) {
            assertThat(client.ask("/", "Sec-WebSocket-Extensions: " + offer)).contains(" 101 ");
            var line = client.head().lines()
                    .filter(each -> each.regionMatches(true, 0, "Sec-WebSocket-Ext", 0, 17))
                    .findFirst();
            assertThat(line.map(each -> each.substring(each.indexOf(':') + 2)).orElse(null))
                    .isEqualTo(answer);
        }
    }

    @Promise("76.6")
    @Test
    void theContextIsKeptOnlyIfBothWantIt() throws Exception {
        try (var client = new RawSocket(server.port());
                var other = new RawSocket(server.port());
                var plain = new RawSocket(server.port())) {
            client.ask("/context", "Sec-WebSocket-Extensions: permessage-deflate");
            assertThat(client.head()).contains("permessage-deflate\r\n");
            other.ask("/context", "Sec-WebSocket-Extensions: permessage-deflate" + BOTH);
            assertThat(other.head()).contains("permessage-deflate" + BOTH + "\r\n");
            plain.ask("/plain", "Sec-WebSocket-Extensions: permessage-deflate");
            assertThat(plain.head()).doesNotContain("deflate");
            send(plain, RawSocket.TEXT, true, deflated(utf8("hello")));
            assertThat(plain.closeCode()).isEqualTo(WebSocketClose.PROTOCOL_ERROR);
        }
    }

    @Promise("76.6")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 256, 5_000, 99_999, 100_000})
    void messagesArriveWhateverTheirLength(int length) throws Exception {
        var text = "abc\n".repeat(length / 4 + 1).substring(0, length);
        try (var client = open("/")) {
            for (var opcode : new int[]{RawSocket.TEXT, RawSocket.BINARY}) {
                for (var twice = 0; twice < 2; twice++) {
                    send(client, opcode, true, deflated(utf8(text)));
                    var echo = client.read();
                    assertThat(echo.opcode()).isEqualTo(opcode);
                    assertThat(echo.isCompressed()).isEqualTo(length >= 256);
                    var bytes = echo.isCompressed() ? inflated(new Inflater(true), echo.payload())
                            : echo.payload();
                    assertThat(bytes).isEqualTo(utf8(text));
                }
            }
            client.text(text); // a message need not be compressed
            assertThat(client.read().isCompressed()).isEqualTo(length >= 256);
        }
    }

    @Promise("76.6")
    @Test
    void whatDoesNotBecomeShorterIsSentAsItIs() throws Exception {
        var noise = new byte[MOST];
        new java.util.Random(1).nextBytes(noise);
        try (var client = open("/")) {
            send(client, RawSocket.BINARY, true, deflated(noise)); // longer than the limit on its way
            var echo = client.read();
            assertThat(echo.isCompressed()).isFalse();
            assertThat(echo.payload()).isEqualTo(noise);
        }
    }

    @Promise("76.6")
    @Test
    void messagesReferToThoseBeforeIfTheContextIsKept() throws Exception {
        var text = utf8("nothing in here comes twice: 0123456789 the quick brown fox");
        var deflater = new Deflater(9, true);
        var inflater = new Inflater(true);
        try (var client = open("/context")) {
            var lengths = new int[3];
            for (var i = 0; i < lengths.length; i++) {
                var message = deflated(deflater, text);
                send(client, RawSocket.TEXT, true, message);
                var echo = client.read();
                lengths[i] = echo.payload().length;
                assertThat(inflated(inflater, echo.payload())).isEqualTo(text);
            }
            assertThat(lengths[2]).isLessThan(lengths[0] / 2);
        }
    }

    @Promise("76.6")
    @Test
    void fragmentsAreOneMessageAndItsEndMayComeEarly() throws Exception {
        var text = "\u00e4\u20ac".repeat(1_000);
        var whole = deflated(utf8(text));
        try (var client = open("/")) {
            for (var i = 0; i < whole.length; i++) {
                var bytes = new byte[]{whole[i]};
                if (i == 0) {
                    send(client, RawSocket.TEXT, false, bytes);
                } else {
                    client.frame(RawSocket.CONTINUATION, i == whole.length - 1, bytes);
                }
                if (i < whole.length - 1) { // the message is answered beside a ping that follows it
                    client.frame(RawSocket.PING, true, new byte[0]);
                    assertThat(client.read().opcode()).isEqualTo(RawSocket.PONG);
                }
            }
            assertThat(
                    new String(inflated(new Inflater(true), client.read().payload()), StandardCharsets.UTF_8))
                    .isEqualTo(text);
            // RFC 7692, 7.2.3.4: the last block is marked as such, and an empty one follows
            send(client, RawSocket.TEXT, true,
                    new byte[]{(byte) 0xf3, 0x48, (byte) 0xcd, (byte) 0xc9, (byte) 0xc9, 0x07, 0x00, 0x00});
            assertThat(client.read().text()).isEqualTo("Hello");
        }
    }

    @Promise("76.6")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBombClosesTheSocket(boolean fragments) throws Exception {
        var bomb = deflated(new byte[200_000_000]);
        assertThat(bomb.length).isGreaterThan(MOST);
        var small = deflated(new byte[MOST + 1]);
        assertThat(small.length).isLessThan(1_000);
        try (var client = open("/")) {
            send(client, RawSocket.BINARY, !fragments, small);
            assertThat(client.closeCode()).isEqualTo(WebSocketClose.TOO_BIG);
        }
        try (var client = open("/")) {
            send(client, RawSocket.BINARY, !fragments, Arrays.copyOf(bomb, 50_000));
            assertThat(client.closeCode()).isEqualTo(WebSocketClose.TOO_BIG);
        }
    }

    @Promise("76.6")
    @Test
    void badDataClosesTheSocket() throws Exception {
        try (var client = open("/")) {
            send(client, RawSocket.TEXT, true, new byte[]{(byte) 0xFF, 1, 2, 3});
            assertThat(client.closeCode()).isEqualTo(WebSocketClose.INVALID_TEXT);
        }
        try (var client = open("/")) {
            send(client, RawSocket.TEXT, true, deflated(new byte[]{(byte) 0xC3, 0x28}));
            assertThat(client.closeCode()).isEqualTo(WebSocketClose.INVALID_TEXT);
        }
        for (var first : new int[]{0xA1, 0xC0, 0xC9, 0xC8, 0xF1}) {
            try (var client = open("/")) {
                client.raw(RawSocket.bytes(first, new byte[0]));
                assertThat(client.closeCode()).as("first byte %x", first)
                        .isEqualTo(WebSocketClose.PROTOCOL_ERROR);
            }
        }
    }

    @Test
    void wrongSettingsAreRefused() {
        assertThatThrownBy(() -> WebSocketDeflate.standard().leastBytes(0))
                .hasMessage("leastBytes must be at least 1: 0");
        assertThatThrownBy(() -> WebSocketOptions.standard().deflate(null))
                .isInstanceOf(NullPointerException.class);
    }
}
