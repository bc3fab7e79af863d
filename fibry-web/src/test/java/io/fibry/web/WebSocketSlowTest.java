package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that do not read what is sent to them. */
@Promise("17.2")
class WebSocketSlowTest {
    private static final int ROOM = 5;
    /** More than all systems on the way take in. */
    private static final int MANY = 2_000;
    private static final byte[] BIG = new byte[64 * 1024];

    private final Recorder events = new Recorder();
    private final ManualTime time = new ManualTime();
    private final Heard heard = new Heard();
    private final ActorScope scope = ActorSystem.configure("web").listener(events).open();
    private Server server;

    private WebSocket open(RawSocketMaker maker, WebSocketOptions options) throws Exception {
        return open(scope, maker, options);
    }

    private WebSocket open(ActorScope in, RawSocketMaker maker, WebSocketOptions options) throws Exception {
        server = WebServer.start(in.anonymous(), WebOptions.localPort(0),
                HttpRoutes.none().get("/", WebSocketRoute.of(heard).with(options)));
        client = maker.open(server.port(), "/");
        assertThat(heard.next()).isEqualTo("opened");
        return heard.sockets.getFirst();
    }

    private interface RawSocketMaker {
        RawSocket open(int port, String path) throws Exception;
    }

    private RawSocket client;

    @AfterEach
    void stop() throws Exception {
        server.close();
        client.close();
        scope.close();
    }

    /** Sends until that is refused; the number of messages that were accepted. */
    private static int fill(WebSocket socket) {
        for (var i = 0; i < MANY; i++) {
            if (!socket.send(BIG)) {
                return i;
            }
        }
        throw new AssertionError("nothing was refused");
    }

    @Test
    void aClientThatIsTooSlowIsDisconnectedAndItsSenderGoesOn() throws Exception {
        var socket = open(RawSocket::slow, WebSocketOptions.standard().outboundOrDisconnect(ROOM)
                .closeLimit(Duration.ofMillis(200)));
        fill(socket);
        assertThat(socket.isOpen()).isFalse();
        assertThat(heard.next()).isEqualTo("closed 1008");
        socket.actor().waitForExit();
        assertThat(events.of(Undelivered.class)).isNotEmpty();
    }

    /** Most of the time the actor compresses, so the reader finds the lock of the writer free. */
    @Test
    void whatWaitsWhenTheClientLeavesIsReported() throws Exception {
        var socket = open(WebSocketSlowTest::compressed, WebSocketOptions.standard()
                .deflate(WebSocketDeflate.standard()).outbound(MailboxPolicy.unbounded()));
        var noise = new byte[BIG.length];
        new Random(1).nextBytes(noise);
        for (var i = 0; i < MANY; i++) {
            assertThat(socket.send(noise)).isTrue();
        }
        client.close(WebSocketClose.NORMAL);
        var received = 0;
        while (client.read().opcode() != RawSocket.CLOSE) {
            received++;
        }
        socket.actor().waitForExit();
        assertThat(received + events.of(Undelivered.class).size()).isEqualTo(MANY);
    }

    private static RawSocket compressed(int port, String path) throws Exception {
        var raw = new RawSocket(port);
        raw.ask(path, "Sec-WebSocket-Extensions: permessage-deflate");
        return raw;
    }

    /** Others send to the actor itself. */
    @Test
    void soItIsWhoeverSendsToTheActor() throws Exception {
        var socket = open(RawSocket::slow, WebSocketOptions.standard().outboundOrDisconnect(ROOM)
                .closeLimit(Duration.ofMillis(200)));
        var message = WebMessage.binary(BIG);
        Patience.spin("the first that is refused", () -> !socket.actor().sendMessage(message));
        assertThat(heard.next()).isEqualTo("closed 1008");
    }

    @Test
    void whatIsOldestIsDroppedIfThePolicySaysSo() throws Exception {
        var socket = open(RawSocket::slow, WebSocketOptions.standard()
                .outbound(MailboxPolicy.bounded(ROOM, OverflowPolicy.dropOldest())));
        var sent = 0;
        while (socket.actor().counters().dropped() < 10) {
            assertThat(sent).as("messages that all found room").isLessThan(MANY);
            assertThat(socket.send(numbered(sent++))).isTrue();
        }
        assertThat(socket.isOpen()).isTrue();
        assertThat(socket.actor().mailboxSize()).isLessThanOrEqualTo(ROOM);
        var last = -1;
        while (last < sent - 1) { // the client reads again: some are missing, the order is right
            var number = number(client.read().payload());
            assertThat(number).isGreaterThan(last);
            last = number;
        }
    }

    private static byte[] numbered(int number) {
        var bytes = BIG.clone();
        java.nio.ByteBuffer.wrap(bytes).putInt(number);
        return bytes;
    }

    private static int number(byte[] bytes) {
        return java.nio.ByteBuffer.wrap(bytes).getInt();
    }

    @Test
    void aSenderIsToldIfThePolicyIsToFail() throws Exception {
        var socket = open(RawSocket::slow, WebSocketOptions.standard()
                .outbound(MailboxPolicy.bounded(ROOM, OverflowPolicy.fail())));
        assertThatThrownBy(() -> fill(socket)).isInstanceOf(MailboxFullException.class);
        assertThat(socket.isOpen()).isTrue();
    }

    @Test
    void aSenderWaitsIfThePolicyIsToBlock() throws Exception {
        var socket = open(RawSocket::slow, WebSocketOptions.standard()
                .outbound(MailboxPolicy.bounded(ROOM, OverflowPolicy.block())));
        var sender = Thread.ofVirtual().start(() -> {
            for (var i = 0; i < 200; i++) {
                socket.send(numbered(i));
            }
        });
        for (var i = 0; i < 200; i++) {
            assertThat(number(client.read().payload())).isEqualTo(i);
        }
        sender.join();
    }

    @Test
    void aClientThatDoesNotReadAtAllIsCut() throws Exception {
        var socket = open(RawSocket::slow, WebSocketOptions.standard().writeLimit(Duration.ofMillis(200))
                .outbound(MailboxPolicy.unbounded()));
        for (var i = 0; i < 500; i++) {
            socket.send(BIG);
        }
        assertThat(heard.next()).isEqualTo("closed 1006");
        socket.actor().waitForExit();
    }

    /** It takes longer in all than one piece may, and never as long between pieces: the systems on the way take in less. */
    @Test
    void oneThatReadsSlowlyButSteadilyGetsAll() throws Exception {
        var limit = Duration.ofSeconds(2);
        var whole = new byte[256 * RawSocket.PIECE];
        try (var own = ActorSystem.configure("own").time(time).open()) {
            var socket = open(own, RawSocket::slow, WebSocketOptions.standard().writeLimit(limit));
            socket.send(whole);
            assertThat(client.read(() -> time.advance(limit.dividedBy(160))).payload()).hasSameSizeAs(whole);
            assertThat(time.nanoTime()).isGreaterThan(limit.toNanos());
            client.close();
            await().until(() -> server.connections() == 0); // nothing ends by time alone here
        }
    }
}
