package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.net.Client;
import io.fibry.net.Lines;
import io.fibry.net.LocalTls;
import io.fibry.net.OpenSockets;
import io.fibry.net.RelayAgentOptions;
import io.fibry.net.RelayOptions;
import io.fibry.net.RelaySecret;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import io.fibry.net.TcpRelay;
import io.fibry.net.TcpRelayAgent;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Strangers at the agents' port of a relay. Its time stands still, so no limit of theirs is ever over: who is served is
 * served in spite of them.
 */
@Tag("once")
class RelayAttackTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final RelaySecret SECRET = RelaySecret.of("for these tests alone");
    private static final int MANY = 400;
    private static final int USERS = 3;
    /** The next question whether the agent is there, and the end of the time that it has for its answer. */
    private static final int TIMERS_OF_AN_AGENT = 2;

    private final RelayHandshake handshake = new RelayHandshake(SECRET, new SecureRandom());
    private final ManualTime time = new ManualTime();
    private final Recorder recorder = new Recorder();
    private final long sockets = OpenSockets.count();
    private final ActorScope scope = ActorSystem.configure("test").time(time).listener(recorder)
            .closeTimeout(Duration.ZERO).open();
    private final Server service = Stereotypes.def().tcpAcceptorSilent(TcpOptions.localPort(0), Lines::echo,
            null);

    @AfterEach
    void nothingIsLeft() {
        scope.close();
        service.close();
        Waits.until("no timer is left", () -> time.pending() == 0);
        OpenSockets.areBack(sockets);
    }

    private TcpRelay relay(UnaryOperator<RelayOptions> change) {
        return Stereotypes.with(scope.anonymous()).tcpRelay(change.apply(RelayOptions.of(
                TcpOptions.localPort(0).maxConnections(USERS), new InetSocketAddress(HERE, 0), SECRET)
                .heartbeat(Duration.ofHours(1))));
    }

    private RelayAgentOptions options(TcpRelay relay) {
        return RelayAgentOptions.of(InetSocketAddress.createUnresolved("localhost", relay.agentPort()),
                service.address(), SECRET);
    }

    private TcpRelayAgent agent(TcpRelay relay, RelayAgentOptions options) {
        var agent = Stereotypes.with(scope.anonymous()).tcpRelayAgent(options);
        Waits.until("the agent is there", () -> relay.hasAgent() && agent.isConnected());
        return agent;
    }

    private static Socket connected(int port, InetAddress from) throws IOException {
        var socket = new Socket();
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress(HERE, port), Patience.MILLIS);
        socket.setSoTimeout(Patience.MILLIS);
        return socket;
    }

    /** What a stranger does. */
    enum Manner {
        SILENT, TRICKLING, HALF_CLOSED, GARBAGE, RESET;

        void behave(Socket socket, Random random) throws IOException {
            switch (this) {
                case SILENT -> {
                    // says nothing
                }
                case TRICKLING -> socket.getOutputStream().write(1);
                case HALF_CLOSED -> {
                    socket.getOutputStream().write(new byte[20]);
                    socket.shutdownOutput();
                }
                case GARBAGE -> {
                    var bytes = new byte[1 + random.nextInt(300)];
                    random.nextBytes(bytes);
                    socket.getOutputStream().write(bytes);
                }
                case RESET -> {
                    socket.setSoLinger(true, 0);
                    socket.close();
                }
                default -> throw new AssertionError(this);
            }
        }
    }

    /** As many as there may be are kept open. */
    private static final class Strangers implements AutoCloseable {
        private final int port;
        private final Manner manner;
        private final Random random = new Random(1);
        private final Deque<Socket> open = new ArrayDeque<>();

        Strangers(int port, Manner manner) {
            this.port = port;
            this.manner = manner;
        }

        void come(int count) throws IOException {
            for (int i = 0; i < count; i++) {
                comesOne(HERE);
            }
        }

        void comesOne(InetAddress from) throws IOException {
            var socket = connected(port, from);
            open.add(socket);
            try {
                manner.behave(socket, random);
            } catch (IOException cut) {
                // that is what the relay is to do
            }
            if (open.size() > 2 * MANY) {
                open.remove().close();
            }
        }

        /** Those that trickle send one byte more. */
        void goOn() {
            for (var socket : open) {
                try {
                    if (manner == Manner.TRICKLING) {
                        socket.getOutputStream().write(1);
                    }
                } catch (IOException cut) {
                    // that is what the relay is to do
                }
            }
        }

        @Override
        public void close() throws IOException {
            for (var socket : open) {
                socket.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Manner.class)
    @Promise("18.9")
    void manyStrangersKeepNobodyFromBeingServed(Manner manner) throws Exception {
        var relay = relay(options -> options);
        try (var strangers = new Strangers(relay.agentPort(), manner)) {
            strangers.come(MANY);
            try (var agent = agent(relay, options(relay)); var served = new Client((Server) relay)) {
                assertThat(served.ask("first")).isEqualTo("first");
                for (int i = 0; i < 10; i++) {
                    strangers.come(MANY / 10);
                    strangers.goOn();
                    try (var user = new Client((Server) relay)) {
                        assertThat(user.ask("hello")).isEqualTo("hello");
                    }
                    assertThat(served.ask("still there")).isEqualTo("still there");
                }
                assertThat(agent.isConnected()).isTrue();
            }
        }
    }

    /** Two hundred a second, for two seconds; the agent is away in the middle of it. */
    @ParameterizedTest
    @EnumSource(value = Manner.class, names = {"SILENT", "TRICKLING"})
    @Promise("18.9")
    void strangersThatComeAllTheTimeKeepNobodyFromBeingServed(Manner manner) throws Exception {
        var relay = relay(options -> options);
        var over = new AtomicBoolean();
        var came = new AtomicInteger();
        try (var strangers = new Strangers(relay.agentPort(), manner)) {
            strangers.come(MANY / 2);
            var attack = Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    try {
                        strangers.come(1);
                    } catch (IOException e) {
                        return;
                    }
                    came.incrementAndGet();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                }
            });
            try {
                for (int i = 1; i <= 2; i++) {
                    var until = i * 200;
                    try (var agent = agent(relay, options(relay)); var served = new Client((Server) relay)) {
                        assertThat(served.ask("first")).isEqualTo("first");
                        while (came.get() < until && attack.isAlive()) {
                            try (var user = new Client((Server) relay)) {
                                assertThat(user.ask("hello")).isEqualTo("hello");
                            }
                            assertThat(served.ask("still there")).isEqualTo("still there");
                        }
                        assertThat(agent.isConnected()).isTrue();
                    }
                    Waits.until("it has gone", () -> !relay.hasAgent() && relay.connections() == 0);
                }
            } finally {
                over.set(true);
                Waits.on(attack);
            }
            assertThat(came).hasValueGreaterThanOrEqualTo(400);
        }
    }

    @Test
    @Promise("18.9")
    void aUserWhoWaitsForTheAgentIsServedThoughStrangersCome() throws Exception {
        var relay = relay(options -> options);
        try (var control = connected(relay.agentPort(), HERE);
                var strangers = new Strangers(relay.agentPort(), Manner.SILENT)) {
            handshake.ask(control, RelayHandshake.CONTROL, RelayToken.NONE);
            Waits.until("the agent is known", relay::hasAgent);
            try (var user = new Client((Server) relay)) {
                var token = RelayFrame.read(control.getInputStream()).orElseThrow().token();
                strangers.come(MANY);
                try (var data = connected(relay.agentPort(), HERE)) {
                    handshake.ask(data, RelayHandshake.DATA, token);
                    user.send("hello\n");
                    assertThat(new Client(data).line()).isEqualTo("hello");
                }
            }
        }
    }

    /** The agent's network has as many places more as users wait, since the agent opens a connection for each of them. */
    @Test
    @Promise("18.9")
    void theAgentHasAPlaceForEachUserWhoWaitsHoweverFewItsNetworkHas() throws Exception {
        var relay = relay(options -> options.handshakes(20, 1));
        var clients = new ArrayList<AutoCloseable>();
        try (var control = connected(relay.agentPort(), HERE)) {
            handshake.ask(control, RelayHandshake.CONTROL, RelayToken.NONE);
            Waits.until("the agent is known", relay::hasAgent);
            var tokens = new ArrayList<RelayToken>();
            var users = new ArrayList<Client>();
            for (int i = 0; i < USERS; i++) {
                var user = new Client((Server) relay);
                users.add(user);
                clients.add(user);
                tokens.add(RelayFrame.read(control.getInputStream()).orElseThrow().token());
            }
            var withoutData = TIMERS_OF_AN_AGENT + USERS;
            Waits.until("each user waits for the agent", () -> time.pending() == withoutData);
            var data = new ArrayList<Socket>();
            for (int i = 0; i < USERS; i++) {
                data.add(connected(relay.agentPort(), HERE));
                clients.add(data.getLast());
            }
            Waits.until("all are in their handshakes", () -> time.pending() == withoutData + USERS);
            for (int i = 0; i < USERS; i++) {
                handshake.ask(data.get(i), RelayHandshake.DATA, tokens.get(i));
                users.get(i).send("hello " + i + "\n");
                assertThat(new Client(data.get(i)).line()).isEqualTo("hello " + i);
            }
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    /** The agent's connections may take their time, as behind a slow line, while others come from many networks. */
    @Test
    @Promise("18.9")
    void strangersFromElsewhereDoNotCloseTheConnectionsOfTheAgentThatServes() throws Exception {
        Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "127.0.0.2 is not set up here");
        var relay = relay(options -> options.handshakes(20, 2));
        try (var control = connected(relay.agentPort(), HERE);
                var strangers = new Strangers(relay.agentPort(), Manner.SILENT)) {
            handshake.ask(control, RelayHandshake.CONTROL, RelayToken.NONE);
            Waits.until("the agent is known", relay::hasAgent);
            try (var user = new Client((Server) relay); var data = connected(relay.agentPort(), HERE)) {
                var token = RelayFrame.read(control.getInputStream()).orElseThrow().token();
                for (int i = 0; i < MANY; i++) {
                    strangers.comesOne(InetAddress.getByName("127.0.0." + (2 + i / 4)));
                }
                var thirdLast = strangers.open.stream().skip(MANY - 3).findFirst().orElseThrow();
                assertThat(new Client(thirdLast).isCut()).as("it makes room for the last one").isTrue();
                handshake.ask(data, RelayHandshake.DATA, token);
                user.send("hello\n");
                assertThat(new Client(data).line()).isEqualTo("hello");
            }
            // The control connection is one of ours; and of the strangers no more are left than may be.
            Waits.until("they were closed", () -> time.pending() <= 20 + 2);
        }
    }

    @Test
    @Promise("18.9")
    void oneNetworkHasNoMorePlacesThanItMay() throws Exception {
        var relay = relay(options -> options.handshakes(100, 5));
        try (var strangers = new Strangers(relay.agentPort(), Manner.SILENT)) {
            strangers.come(MANY);
            var sixthLast = strangers.open.stream().skip(MANY - 6).findFirst().orElseThrow();
            assertThat(new Client(sixthLast).isCut()).as("it makes room for the last one").isTrue();
            Waits.until("five are left", () -> time.pending() == 5);
            assertThat(recorder.of(Failed.class)).as("that is no failure of anybody's").isEmpty();
        }
    }

    @Test
    void aNetworkIsAnAddressOrTheFirstHalfOfOne() throws Exception {
        var one = InetAddress.getByName("2001:db8:1:2:3:4:5:6");
        assertThat(RelayGate.network(one))
                .isEqualTo(RelayGate.network(InetAddress.getByName("2001:db8:1:2::1")))
                .isNotEqualTo(RelayGate.network(InetAddress.getByName("2001:db8:1:3::1")));
        assertThat(RelayGate.network(HERE)).isEqualTo(HERE)
                .isNotEqualTo(RelayGate.network(InetAddress.getByName("127.0.0.2")));
        assertThat(RelayGate.network(InetAddress.getByName("::ffff:192.0.2.1")))
                .isEqualTo(InetAddress.getByName("192.0.2.1"));
    }

    /** Its handshake begins with that of TLS, which has the same limits. */
    @Test
    @Promise("18.9")
    void strangersThatNeverBeginTlsAreClosedSoonAndKeepNobodyOut() throws Exception {
        var tls = LocalTls.context();
        var relay = relay(options -> options.tls(tls));
        try (var strangers = new Strangers(relay.agentPort(), Manner.SILENT);
                var trickling = new Strangers(relay.agentPort(), Manner.TRICKLING)) {
            strangers.come(MANY / 2);
            trickling.come(MANY / 2);
            try (var agent = agent(relay, options(relay).tls(tls)); var user = new Client((Server) relay)) {
                assertThat(user.ask("hello")).isEqualTo("hello");
                time.advance(Duration.ofSeconds(3));
                var last = new Client(strangers.open.getLast());
                assertThat(last.isCut()).isTrue();
                assertThat(agent.isConnected()).isTrue();
            }
        }
    }

    @Test
    @Promise("18.3")
    void aStrangerWhoSaysLittleIsCutAtTheEndOfTheHandshakesTime() throws Exception {
        try (var real = ActorSystem.configure("real").listener(recorder).open();
                var relay = Stereotypes.with(real.anonymous()).tcpRelay(RelayOptions
                        .of(TcpOptions.localPort(0), new InetSocketAddress(HERE, 0), SECRET)
                        .handshakeTimeouts(Duration.ofMillis(200), Patience.LIMIT));
                var stranger = new Client(relay.agentPort())) {
            assertThat(stranger.send("x").isCut()).isTrue();
            assertThat(recorder.await(Failed.class).cause())
                    .hasMessageContaining("it was open for PT0.2S, its handshakeTimeout");
        }
    }
}
