package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.event.Failed;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said on the wire, also by clients that break the rules. */
class WebSocketProtocolTest {
    private static final int MOST = 1_000;

    private final Recorder events = new Recorder();
    private final Heard heard = new Heard() {
        @Override
        public void text(WebSocket socket, String text) throws Exception {
            super.text(socket, text);
            if (text.equals("fail")) {
                throw new IllegalStateException("as asked");
            }
            socket.send(text);
        }

        @Override
        public void binary(WebSocket socket, byte[] bytes) throws Exception {
            super.binary(socket, bytes);
            socket.send(bytes);
        }
    };
    private ActorScope scope;
    private Server server;

    @BeforeEach
    void start() {
        scope = ActorSystem.configure("web").listener(events).open();
        server = WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none()
                .get("/", WebSocketRoute.of(heard).with(WebSocketOptions.standard().messageBytes(MOST)))
                .get("/texts", WebSocketRoute.of((socket, text) -> socket.send(text))));
    }

    @AfterEach
    void stop() {
        server.close();
        scope.close();
    }

    private RawSocket open() throws IOException {
        return RawSocket.open(server.port(), "/");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 125, 126, 127, 500, 999, 1_000})
    void messagesOfAllLengthsAreEchoed(int length) throws Exception {
        var message = new byte[length];
        Arrays.fill(message, (byte) 'x');
        try (var client = open()) {
            for (var opcode : new int[]{RawSocket.TEXT, RawSocket.BINARY}) {
                client.frame(opcode, true, message);
                var echo = client.read();
                assertThat(echo.opcode()).isEqualTo(opcode);
                assertThat(echo.payload()).isEqualTo(message);
            }
        }
    }

    @Test
    void longMessagesAreEchoed() throws Exception {
        var text = "\u00e4\u20ac\ud83d\ude00".repeat(20_000);
        try (var client = RawSocket.open(server.port(), "/texts")) {
            client.text(text);
            assertThat(client.read().text()).isEqualTo(text);
        }
    }

    @Test
    void fragmentsAreOneMessageAndCharactersMayBeSplit() throws Exception {
        try (var client = open()) {
            var bytes = utf8("h\u00e9\ud83d\ude00");
            for (var i = 0; i < bytes.length; i++) {
                client.frame(RawSocket.PING, true, new byte[]{(byte) i}); // control frames come in between
                assertThat(client.read().opcode()).isEqualTo(RawSocket.PONG);
                client.frame(i == 0 ? RawSocket.TEXT : RawSocket.CONTINUATION, i == bytes.length - 1,
                        new byte[]{bytes[i]});
            }
            assertThat(client.read().text()).isEqualTo("h\u00e9\ud83d\ude00");
            client.frame(RawSocket.BINARY, false, new byte[]{1});
            client.frame(RawSocket.CONTINUATION, false, new byte[0]);
            client.frame(RawSocket.CONTINUATION, true, new byte[]{2, 3});
            assertThat(client.read().payload()).containsExactly(1, 2, 3);
        }
        assertThat(heard.next()).isEqualTo("opened");
    }

    @Test
    void aFrameThatComesByteByByteIsOneFrame() throws Exception {
        try (var client = open()) {
            for (var b : RawSocket.bytes(0x81, utf8("slow"))) {
                client.raw(new byte[]{b});
            }
            assertThat(client.read().text()).isEqualTo("slow");
        }
    }

    @Test
    void pingsAreAnsweredWithTheirContent() throws Exception {
        try (var client = open()) {
            client.frame(RawSocket.PONG, true, utf8("nobody asked"));
            client.frame(RawSocket.PING, true, utf8("here?"));
            var pong = client.read();
            assertThat(pong.opcode()).isEqualTo(RawSocket.PONG);
            assertThat(pong.text()).isEqualTo("here?");
        }
    }

    static Stream<Arguments> violations() {
        var longControl = new byte[126];
        return Stream.of(
                Arguments.of("reserved bits", RawSocket.bytes(0xC1, utf8("x")), 1002),
                Arguments.of("reserved opcode 3", RawSocket.bytes(0x83, utf8("x")), 1002),
                Arguments.of("reserved opcode 11", RawSocket.bytes(0x8B, utf8("x")), 1002),
                Arguments.of("no mask", new byte[]{(byte) 0x81, 1, 'x'}, 1002),
                Arguments.of("fragmented ping", RawSocket.bytes(0x09, utf8("x")), 1002),
                Arguments.of("long ping", RawSocket.bytes(0x89, longControl), 1002),
                Arguments.of("long close", RawSocket.bytes(0x88, longControl), 1002),
                Arguments.of("nothing to continue", RawSocket.bytes(0x80, utf8("x")), 1002),
                Arguments.of("length not shortest", new byte[]{(byte) 0x81, (byte) 0xFE, 0, 5}, 1002),
                Arguments.of("negative length",
                        new byte[]{(byte) 0x81, (byte) 0xFF, -1, -1, -1, -1, -1, -1, -1, -1}, 1002),
                Arguments.of("half a close code", RawSocket.bytes(0x88, new byte[]{3}), 1002),
                Arguments.of("not UTF-8", RawSocket.bytes(0x81, new byte[]{'a', (byte) 0xC3, '('}), 1007),
                Arguments.of("half a character", RawSocket.bytes(0x81, new byte[]{(byte) 0xE2, (byte) 0x82}),
                        1007),
                Arguments.of("a surrogate",
                        RawSocket.bytes(0x81, new byte[]{(byte) 0xED, (byte) 0xA0, (byte) 0x80}),
                        1007),
                Arguments.of("close reason not UTF-8", RawSocket.bytes(0x88, new byte[]{3, (byte) 0xE8, -1}),
                        1007),
                Arguments.of("too long", RawSocket.bytes(0x82, new byte[MOST + 1]), 1009),
                Arguments.of("too long, only announced",
                        new byte[]{(byte) 0x82, (byte) 0xFF, 0x7F, -1, -1, -1, -1, -1, -1, -1}, 1009));
    }

    @Promise("17.3")
    @ParameterizedTest(name = "{0}")
    @MethodSource("violations")
    void aClientThatBreaksTheRulesIsToldWhichCode(String what, byte[] bytes, int code) throws Exception {
        try (var client = open()) {
            assertThat(heard.next()).isEqualTo("opened");
            client.raw(bytes);
            assertThat(client.closeCode()).isEqualTo(code);
            assertThat(client.ends()).as("the close frame is not lost").isTrue();
        }
        assertThat(heard.next()).isEqualTo("closed " + code);
        assertThat(heard.rest()).isEmpty();
    }

    @Test
    void aMessageThatBeginsWithinAnotherOneIsAViolation() throws Exception {
        try (var client = open()) {
            client.frame(RawSocket.TEXT, false, utf8("a"));
            client.frame(RawSocket.TEXT, true, utf8("b"));
            assertThat(client.closeCode()).isEqualTo(1002);
        }
    }

    @Test
    void fragmentsThatAreTooLongTogetherAreTooLong() throws Exception {
        try (var client = open()) {
            client.frame(RawSocket.BINARY, false, new byte[MOST]);
            client.frame(RawSocket.CONTINUATION, true, new byte[1]);
            assertThat(client.closeCode()).isEqualTo(1009);
        }
    }

    @Test
    void invalidTextIsRefusedBeforeTheMessageEnds() throws Exception {
        try (var client = open()) {
            client.frame(RawSocket.TEXT, false, new byte[]{(byte) 0xFF});
            assertThat(client.closeCode()).isEqualTo(1007);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535})
    void closeCodesThatMustNotBeSentAreAViolation(int code) throws Exception {
        try (var client = open()) {
            client.close(code);
            assertThat(client.closeCode()).isEqualTo(1002);
        }
    }

    @Promise("17.4")
    @ParameterizedTest
    @ValueSource(ints = {1000, 1001, 1003, 1007, 1011, 1014, 3000, 3999, 4000, 4999})
    void theClientsCloseIsAnsweredWithItsCode(int code) throws Exception {
        try (var client = open()) {
            client.close(code);
            assertThat(client.closeCode()).isEqualTo(code);
            assertThat(client.ends()).isTrue();
        }
        assertThat(heard.next()).isEqualTo("opened");
        assertThat(heard.next()).isEqualTo("closed " + code);
    }

    @Promise("17.4")
    @Test
    void aCloseWithoutACodeIsAnsweredWithoutOne() throws Exception {
        try (var client = open()) {
            client.frame(RawSocket.CLOSE, true, new byte[0]);
            assertThat(client.read().payload()).isEmpty();
            assertThat(client.ends()).isTrue();
        }
        assertThat(heard.next()).isEqualTo("opened");
        assertThat(heard.next()).isEqualTo("closed 1005");
    }

    @Promise("17.4")
    @Test
    void theServersCloseComesAfterWhatIsQueuedAndWaitsForTheAnswer() throws Exception {
        try (var client = open()) {
            assertThat(heard.next()).isEqualTo("opened");
            var socket = heard.sockets.getFirst();
            for (var i = 0; i < 100; i++) {
                assertThat(socket.send("m" + i)).isTrue();
            }
            socket.close(4_001, "enough");
            assertThat(socket.isOpen()).isFalse();
            socket.close(4_002, "too late");
            for (var i = 0; i < 100; i++) {
                assertThat(client.read().text()).isEqualTo("m" + i);
            }
            var close = client.read();
            assertThat(close.closeCode()).isEqualTo(4_001);
            assertThat(close.closeReason()).isEqualTo("enough");
            client.text("is not handled any more");
            client.close(4_001);
            assertThat(client.ends()).isTrue();
            socket.actor().waitForExit();
            assertThat(socket.send("nobody is there")).isFalse();
        }
        assertThat(heard.next()).isEqualTo("closed 4001");
        assertThat(heard.rest()).isEmpty();
    }

    @Promise("17.3")
    @Test
    void aHandlerThatFailsClosesTheSocketAndIsReported() throws Exception {
        try (var client = open()) {
            client.text("fail");
            client.text("not handled");
            var close = client.read();
            assertThat(close.closeCode()).isEqualTo(1011);
            assertThat(close.closeReason()).as("nothing of the failure").isEqualTo("internal error");
            assertThat(client.ends()).isTrue();
        }
        assertThat(heard.next()).isEqualTo("opened");
        assertThat(heard.next()).isEqualTo("text fail");
        assertThat(heard.next()).isEqualTo("closed 1011");
        assertThat(events.only(Failed.class).cause()).hasMessage("as asked");
    }

    @Test
    void bytesAreRefusedByHandlersOfTextsOnly() throws Exception {
        try (var client = RawSocket.open(server.port(), "/texts")) {
            client.frame(RawSocket.BINARY, true, ByteBuffer.allocate(4).array());
            assertThat(client.closeCode()).isEqualTo(1003);
        }
    }

    @Test
    void aClientThatVanishesIsAClosedSocket() throws Exception {
        open().close();
        assertThat(heard.next()).isEqualTo("opened");
        assertThat(heard.next()).isEqualTo("closed 1006");
    }

    @Test
    void oneThatVanishesInTheMiddleOfAFrameToo() throws Exception {
        try (var client = open()) {
            client.raw(Arrays.copyOf(RawSocket.bytes(0x81, utf8("hello")), 5));
        }
        assertThat(heard.next()).isEqualTo("opened");
        assertThat(heard.next()).isEqualTo("closed 1006");
    }
}
