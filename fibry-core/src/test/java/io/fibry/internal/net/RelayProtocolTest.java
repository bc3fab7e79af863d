package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.net.Client;
import io.fibry.net.OpenSockets;
import io.fibry.net.RelayAgentOptions;
import io.fibry.net.RelayOptions;
import io.fibry.net.RelaySecret;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.net.TcpRelay;
import io.fibry.testing.BugClass;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Relays with agents, and agents with relays, that do what they should not: the other side is played by the test. */
class RelayProtocolTest {
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final RelaySecret SECRET = RelaySecret.of("for these tests alone");
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final RelayHandshake handshake = new RelayHandshake(SECRET, new SecureRandom());
    private final ManualTime time = new ManualTime();
    private final Recorder recorder = new Recorder();
    private final long sockets = OpenSockets.count();
    private final ActorScope scope = ActorSystem.configure("test").time(time).listener(recorder)
            .closeTimeout(Duration.ZERO).open();

    @AfterEach
    void nothingIsLeft() {
        scope.close();
        Waits.until("no timer is left", () -> time.pending() == 0);
        OpenSockets.areBack(sockets);
    }

    private TcpRelay relay() {
        return Stereotypes.with(scope.anonymous()).tcpRelay(RelayOptions
                .of(TcpOptions.localPort(0), FREE, SECRET).answerTimeout(SECOND).heartbeat(HOUR));
    }

    private static Socket connected(int port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(Patience.MILLIS);
        return socket;
    }

    private Socket control(TcpRelay relay) throws IOException {
        var socket = connected(relay.agentPort());
        assertThat(handshake.ask(socket, RelayHandshake.CONTROL, RelayToken.NONE)).isEqualTo(HOUR);
        Waits.until("the agent is known", relay::hasAgent);
        return socket;
    }

    private static RelayFrame frame(Socket control) throws IOException {
        return RelayFrame.read(control.getInputStream()).orElseThrow();
    }

    private static boolean isOver(Socket socket) throws IOException {
        try (var client = new Client(socket)) {
            return client.isCut();
        }
    }

    // ---- Strangers. ----

    @Test
    @Promise("18.3")
    void aStrangerWhoSaysNothingIsCutSoon() throws Exception {
        var relay = relay();
        time.advance(HOUR); // as long has nobody come
        try (var stranger = new Client(relay.agentPort())) {
            Waits.until("it is listened to", () -> time.pending() == 1);
            assertThat(time.nanosToNext()).isEqualTo(3 * SECOND.toNanos());
            time.advance(SECOND.multipliedBy(3));
            assertThat(stranger.isCut()).isTrue();
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).contains(stranger.address());
            assertThat(failed.cause()).hasMessageContaining("nothing moved for PT3S, its handshakeSilence");
        }
    }

    /** What an agent has sent once proves nothing the next time. */
    @Test
    @Promise("18.3")
    void aRecordedHandshakeIsGoodForNothing() throws Exception {
        byte[] recorded;
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var agent = new Socket(listening.getInetAddress(), listening.getLocalPort());
                var relay = listening.accept()) {
            var asked = CompletableFuture
                    .runAsync(() -> assertThatThrownBy(() -> handshake.ask(agent, RelayHandshake.CONTROL,
                            RelayToken.NONE)).isInstanceOf(IOException.class)
                            .hasMessageContaining("do both know the same secret?"));
            relay.getOutputStream().write("FIBRY1".getBytes());
            relay.getOutputStream().write(new byte[32]);
            recorded = relay.getInputStream().readNBytes(97);
            relay.shutdownOutput();
            Waits.on(asked);
        }
        var relay = relay();
        try (var thief = new Client(relay.agentPort())) {
            thief.send(new String(recorded, java.nio.charset.StandardCharsets.ISO_8859_1));
            assertThat(thief.half().isCut()).isTrue();
        }
        assertThat(recorder.await(Failed.class).cause()).isInstanceOf(IOException.class);
        assertThat(relay.hasAgent()).isFalse();
    }

    /** Who does not know the secret must not get at the service by playing the relay. */
    @Test
    @Promise("18.3")
    void anAgentDoesNotServeARelayThatCannotProveItself() throws Exception {
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var service = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var agent = agent(listening, service);
            try (var socket = listening.accept()) {
                socket.setSoTimeout(Patience.MILLIS);
                socket.getOutputStream().write("FIBRY1".getBytes());
                socket.getOutputStream().write(new byte[32]);
                assertThat(socket.getInputStream().readNBytes(97)).hasSize(97);
                socket.getOutputStream().write(new byte[36]);
                socket.getOutputStream().write(new RelayFrame(RelayFrame.Kind.OPEN,
                        RelayToken.random(new SecureRandom())).bytes());
                assertThat(isOver(socket)).isTrue();
            }
            assertThat(agent.isConnected()).isFalse();
            service.setSoTimeout(50);
            assertThatThrownBy(service::accept).isInstanceOf(java.net.SocketTimeoutException.class);
        }
    }

    private io.fibry.net.TcpRelayAgent agent(ServerSocket relay, ServerSocket service) {
        return Stereotypes.with(scope.anonymous()).tcpRelayAgent(RelayAgentOptions
                .of((InetSocketAddress) relay.getLocalSocketAddress(),
                        (InetSocketAddress) service.getLocalSocketAddress(), SECRET)
                .connectTimeout(HOUR).pauses(SECOND, SECOND.multipliedBy(8)));
    }

    // ---- Agents. ----

    @Test
    @BugClass(37)
    @Promise("18.4")
    void anAgentThatBreaksTheProtocolIsClosedAndNamed() throws Exception {
        var relay = relay();
        var control = control(relay);
        var frame = new byte[RelayFrame.BYTES];
        java.util.Arrays.fill(frame, (byte) 0x7f); // as a length it would be two gigabytes
        control.getOutputStream().write(frame);
        assertThat(isOver(control)).isTrue();
        assertThat(recorder.await(Failed.class).cause()).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("begin with 127");
        assertThat(relay.hasAgent()).isFalse();
    }

    @Test
    @Promise("18.5")
    void aUserWhomTheAgentDoesNotFetchIsCutInTimeAndItsTokenIsWorthNothingThen() throws Exception {
        var relay = relay();
        try (var control = control(relay); var user = new Client((Server) relay)) {
            var open = frame(control);
            assertThat(open.kind()).isEqualTo(RelayFrame.Kind.OPEN);
            Waits.until("it waits", () -> time.nanosToNext() <= SECOND.toNanos());
            time.advance(SECOND);
            assertThat(user.isCut()).isTrue();
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).contains(user.address());
            assertThat(failed.cause()).hasMessageContaining("the agent has not connected within PT1S");
            Waits.until("it has ended", () -> relay.connections() == 0);
            var late = connected(relay.agentPort());
            handshake.ask(late, RelayHandshake.DATA, open.token());
            assertThat(isOver(late)).isTrue();
        }
        recorder.only(Failed.class);
    }

    @Test
    @Promise("18.5")
    void aTokenIsGoodForOneConnection() throws Exception {
        var relay = relay();
        try (var control = control(relay); var user = new Client((Server) relay)) {
            var open = frame(control);
            try (var data = connected(relay.agentPort())) {
                handshake.ask(data, RelayHandshake.DATA, open.token());
                user.send("hello\n");
                try (var service = new Client(data)) {
                    assertThat(service.line()).isEqualTo("hello"); // from here on the token is used
                    var second = connected(relay.agentPort());
                    handshake.ask(second, RelayHandshake.DATA, open.token());
                    assertThat(isOver(second)).isTrue();
                    assertThat(user.half()).isNotNull();
                    assertThat(service.send("bye").rest()).isEmpty();
                }
                assertThat(user.rest()).isEqualTo("bye");
            }
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("18.7")
    void anAgentThatFallsSilentIsClosedWithItsUsers() throws Exception {
        var relay = relay();
        try (var control = control(relay); var user = new Client((Server) relay)) {
            var open = frame(control);
            try (var data = connected(relay.agentPort())) {
                handshake.ask(data, RelayHandshake.DATA, open.token());
                user.send("hello\n");
                assertThat(new Client(data).line()).isEqualTo("hello");
                for (int i = 0; i < 3; i++) {
                    time.advance(HOUR);
                }
                assertThat(user.isCut()).isTrue();
                assertThat(isOver(data)).isTrue();
                assertThat(isOver(control)).isTrue();
                assertThat(recorder.await(Failed.class, 2)).allSatisfy(failed -> assertThat(failed.cause())
                        .hasMessageContaining("nothing was heard of the agent for PT3H"));
            }
        }
        assertThat(relay.hasAgent()).isFalse();
    }

    @Test
    @Promise("18.7")
    void anAgentThatAnswersIsKeptAndALaterOneTakesItsPlace() throws Exception {
        var relay = relay();
        try (var control = control(relay)) {
            for (int i = 0; i < 10; i++) {
                time.advance(HOUR);
                assertThat(frame(control)).isEqualTo(RelayFrame.PING);
                control.getOutputStream().write(RelayFrame.PONG.bytes());
                try (var user = new Client((Server) relay)) { // its end says that the answer was heard
                    control.getOutputStream()
                            .write(new RelayFrame(RelayFrame.Kind.REFUSE, frame(control).token()).bytes());
                    assertThat(user.isCut()).isTrue();
                }
            }
            try (var later = connected(relay.agentPort())) {
                handshake.ask(later, RelayHandshake.CONTROL, RelayToken.NONE);
                assertThat(isOver(control)).isTrue();
                assertThat(relay.hasAgent()).isTrue();
            }
        }
        Waits.until("it has gone", () -> !relay.hasAgent());
        assertThat(recorder.of(Failed.class)).hasSize(10).allSatisfy(
                failed -> assertThat(failed.cause()).hasMessageContaining("cannot serve another user now"));
    }

    // ---- Relays. ----

    @Test
    @Promise("18.6")
    void anAgentConnectsAgainAfterPausesThatGrowAndAreSpread() throws Exception {
        try (var listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var agent = agent(listening, listening);
            for (var seconds : new int[]{1, 2, 4, 8, 8}) {
                listening.accept().close();
                // The limit of connecting is an hour: what is near is the pause.
                Waits.until("it pauses",
                        () -> time.pending() == 1 && time.nanosToNext() < HOUR.toNanos() / 2);
                assertThat(time.nanosToNext()).isBetween(seconds * SECOND.toNanos() / 2,
                        seconds * SECOND.toNanos());
                assertThat(time.advanceToNext()).isTrue();
            }
            try (var socket = listening.accept()) {
                handshake.receive(socket, HOUR);
                Waits.until("it is connected", agent::isConnected);
                time.advance(SECOND.multipliedBy(8)); // as long as the longest pause
            }
            Waits.until("it pauses", () -> time.pending() == 1 && time.nanosToNext() < HOUR.toNanos() / 2);
            assertThat(time.nanosToNext()).as("it begins anew").isLessThanOrEqualTo(SECOND.toNanos());
            assertThat(agent.isConnected()).isFalse();
        }
    }

    @Test
    @Promise("18.7")
    void aRelayThatFallsSilentIsLeftWithItsUsers() throws Exception {
        try (var listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var agent = agent(listening, service);
            try (var control = listening.accept()) {
                handshake.receive(control, SECOND);
                control.getOutputStream().write(new RelayFrame(RelayFrame.Kind.OPEN,
                        new RelayToken(1, 2, 3, 4)).bytes());
                try (var served = service.accept(); var data = listening.accept()) {
                    assertThat(handshake.receive(data, SECOND).token()).isEqualTo(new RelayToken(1, 2, 3, 4));
                    Waits.until("it is served", () -> agent.connections() == 1);
                    control.getOutputStream().write(RelayFrame.PING.bytes());
                    assertThat(frame(control)).isEqualTo(RelayFrame.PONG);
                    time.advance(SECOND.multipliedBy(4));
                    assertThat(isOver(control)).isTrue();
                    assertThat(isOver(data)).isTrue();
                    assertThat(isOver(served)).isTrue();
                    Waits.until("it serves nobody", () -> agent.connections() == 0);
                }
            }
        }
    }

    @Test
    @Promise("18.6")
    void connectingHasALimit() throws Exception {
        try (var listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var agent = agent(listening, listening);
            try (var silent = listening.accept()) {
                Waits.until("it waits for the relay", () -> time.pending() == 1);
                time.advance(HOUR);
                assertThat(isOver(silent)).isTrue();
                assertThat(agent.isConnected()).isFalse();
            }
        }
    }
}
