package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.cluster.ClusterException;
import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.testing.Promise;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jgroups.ObjectMessage;
import org.jgroups.Version;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Strangers at the ports of two nodes. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
@Tag("thorough")
class DoorsTest {
    private final List<EngineMember> members = new ArrayList<>();
    private final LinkedBlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final Logger door = (Logger) LoggerFactory.getLogger("org.jgroups.protocols.TCP");
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            logged.add(event.getFormattedMessage());
        }
    };

    @TempDir
    private Path folder;

    @BeforeEach
    void listen() {
        door.setLevel(Level.WARN);
        log.setContext(root.getLoggerContext());
        log.start();
        root.addAppender(log);
    }

    @AfterEach
    void close() {
        root.detachAppender(log);
        door.setLevel(null);
        members.forEach(each -> each.engine.close());
    }

    private String awaitLog(String... parts) throws InterruptedException {
        var seen = new ArrayList<String>();
        while (true) {
            var next = logged.poll(20, TimeUnit.SECONDS);
            assertThat(next).as("%s in %s", List.of(parts), seen).isNotNull();
            if (List.of(parts).stream().allMatch(next::contains)) {
                return next;
            }
            seen.add(next);
        }
    }

    private void two(UnaryOperator<InfinispanSettings> with) throws Exception {
        members.addAll(EngineMember.start(2, with));
    }

    /** Both are there, and hear each other. */
    private void assertWhole(String text) throws InterruptedException {
        var first = members.get(0);
        var second = members.get(1);
        for (var each : members) {
            assertThat(each.engine.view().members()).hasSize(2);
            assertThat(each.engine.view().majority()).isTrue();
        }
        assertThat(first.send(second, text)).isTrue();
        assertThat(second.messages.poll(20, TimeUnit.SECONDS)).isEqualTo(text);
        assertThat(second.send(first, text)).isTrue();
        assertThat(first.messages.poll(20, TimeUnit.SECONDS)).isEqualTo(text);
    }

    private static int port(EngineMember member) {
        return Integer.parseInt(member.engine.where().replaceAll(".*:", ""));
    }

    @Promise("83.9")
    @Test
    void withoutTheRightCertificateNobodyIsAdmitted() throws Exception {
        var ours = KeyStores.make(folder, "ours");
        two(settings -> settings.certificates(ours, ours, KeyStores.PASSWORD));
        assertWhole("by TLS");
        var hosts = new ArrayList<>(members.stream().map(each -> each.engine.where()).toList());
        for (var each : members) {
            // The detection of dead processes has no port of its own.
            assertThatThrownBy(
                    () -> new Socket(InetAddress.getByName("127.0.0.1"), (port(each) + 50000) % 65536)
                            .close())
                    .isInstanceOf(ConnectException.class);
        }
        var own = Ports.free(1).getFirst();
        hosts.add("127.0.0.1:" + own);
        var plain = InfinispanSettings.of("test", "127.0.0.1", own, hosts).joinLimit(Duration.ofSeconds(3));

        var theirs = KeyStores.make(folder, "theirs");
        var stranger = new EngineMember("stranger", plain.certificates(theirs, theirs, KeyStores.PASSWORD));
        assertThatThrownBy(() -> stranger.engine.start(stranger.info, stranger))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining(
                        hosts.getFirst() + " and this node do not accept each other's certificates");
        assertThat(stranger.messages).isEmpty();
        // Whom it did not trust itself is refused first; one that trusts all is refused by the others.
        logged.clear();
        var trusting = new EngineMember("trusting", plain.certificates(theirs, ours, KeyStores.PASSWORD));
        assertThatThrownBy(() -> trusting.engine.start(trusting.info, trusting))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("do not accept each other's certificates");
        awaitLog("A process at /127.0.0.1:", "was not admitted", "CN=theirs is not trusted");
        var without = new EngineMember("without", plain);
        assertThatThrownBy(() -> without.engine.start(without.info, without))
                .isInstanceOf(ClusterException.class);
        awaitLog("was not admitted", "Unsupported or unrecognized SSL message");
        for (var each : List.of(stranger, trusting, without)) {
            assertThat(each.messages).isEmpty();
            assertThat(each.engine.view().members()).isEmpty();
        }
        assertWhole("still there");
    }

    private static void send(int port, byte[] bytes) throws IOException {
        try (var socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            // Ends when the node closes the connection, which it may do before it has read all.
            socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
        } catch (java.net.SocketException reset) {
            assertThat(reset).message().containsAnyOf("reset", "Broken pipe");
        }
    }

    /** Sends what no node sends to both nodes, and returns what they log about it. */
    private List<String> garbage() throws Exception {
        var random = new Random(26);
        var noise = new byte[100_000];
        random.nextBytes(noise);
        var silent = new ArrayList<Socket>();
        for (var each : members) {
            for (int i = 0; i < 20; i++) {
                silent.add(new Socket(InetAddress.getByName("127.0.0.1"), port(each)));
            }
            send(port(each), noise);
            send(port(each), "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            send(port(each),
                    new byte[]{(byte) 255, (byte) 255, (byte) 255, (byte) 255, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        }
        assertWhole("with garbage");
        for (var each : silent) {
            each.close();
        }
        var lines = new ArrayList<String>();
        for (int i = 0; i < members.size() * 3; i++) {
            lines.add(awaitLog("A process at /127.0.0.1:", "was not admitted"));
        }
        assertThat(members).as("those that said nothing are not counted; also logged: %s", logged)
                .allSatisfy(each -> assertThat(each.engine.notUnderstood().count()).isEqualTo(3));
        return lines;
    }

    @Promise("83.9")
    @Test
    void garbageOnThePortHarmsNothing() throws Exception {
        two(settings -> settings);
        assertThat(garbage()).allMatch(line -> line.contains("its first bytes are not those of a node"));
        for (var each : members) {
            send((port(each) + 50000) % 65536, new byte[]{1, 2, 3, 4, 5, 6, 7, 8, 9});
        }
        assertWhole("with garbage for the detection of dead processes");
    }

    @Promise("83.9")
    @Test
    void garbageOnThePortForCertificatesHarmsNothing() throws Exception {
        var ours = KeyStores.make(folder, "ours");
        two(settings -> settings.certificates(ours, ours, KeyStores.PASSWORD));
        garbage();
    }

    /** Nodes do that too: of two that connect to each other at the same time one gives its connection up. */
    private void endEarly(byte[] beginning) throws Exception {
        for (var each : members) {
            for (int i = 0; i < 20; i++) {
                for (var said : List.of(new byte[0], beginning)) {
                    try (var reset = new Socket(InetAddress.getByName("127.0.0.1"), port(each))) {
                        reset.setSoLinger(true, 0);
                        reset.getOutputStream().write(said);
                    }
                }
                send(port(each), beginning);
            }
        }
        assertWhole("after connections that have ended early");
        assertThat(members).as("logged: %s", logged)
                .allSatisfy(each -> assertThat(each.engine.notUnderstood().count()).isZero());
    }

    @Promise("83.9")
    @Test
    void whoEndsBeforeItsHandshakeIsDoneIsNotCounted() throws Exception {
        var ours = KeyStores.make(folder, "ours");
        two(settings -> settings.certificates(ours, ours, KeyStores.PASSWORD));
        // The header of a record of TLS with 100 bytes, and the first of them.
        endEarly(new byte[]{22, 3, 1, 0, 100, 1});
        garbage();
    }

    /** Another address of this machine, which the nodes were not given. */
    @Promise("83.14")
    @Test
    void nothingListensOnOtherAddresses() throws Exception {
        two(settings -> settings);
        for (var each : members) {
            for (var port : List.of(port(each), (port(each) + 50000) % 65536)) {
                new Socket(InetAddress.getByName("127.0.0.1"), port).close();
                assertThatThrownBy(() -> new Socket(InetAddress.getByName("127.0.0.2"), port).close())
                        .as("port %s", port).isInstanceOf(ConnectException.class);
            }
        }
    }

    @Promise("83.9")
    @Test
    void thoseThatSayNothingAreClosedAndLimited() throws Exception {
        two(settings -> settings);
        var before = members.getFirst().engine.notUnderstood().count();
        var silent = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 300; i++) {
                silent.add(new Socket(InetAddress.getByName("127.0.0.1"), port(members.getFirst())));
            }
            awaitLog("was closed: 256 others have not shown yet that they are nodes");
            for (var each : silent) {
                each.setSoTimeout(20_000);
                assertThat(each.getInputStream().read()).as("the node closes it").isEqualTo(-1);
            }
        } finally {
            for (var each : silent) {
                each.close();
            }
        }
        assertThat(members.getFirst().engine.notUnderstood().count() - before)
                .as("those that found no place, alone").isBetween(1L, 300L - 256);
        assertWhole("after many that said nothing");
    }

    /** Bodies that no node sends: too short, or with numbers that stand for nothing. */
    @Promise("83.9")
    @Test
    void messagesThatNoNodeSendsAreDropped() throws Exception {
        two(settings -> settings);
        var wire = members.get(0).engine.wires().join();
        var other = members.get(1).engine.channel().getAddress();
        var sent = 0;
        for (byte kind : new byte[]{1, Wire.TABLES, Wire.ROUND, 5, -1}) {
            assertThat(wire.send(kind, other, ByteBuffer.allocate(1))).isTrue();
            sent++;
        }
        // The right length, and a stage that there is not.
        assertThat(wire.send(Wire.TABLES, other,
                ByteBuffer.allocate(8 + 4 + 1 + 1 + 256 * 8).put(12, (byte) 99)))
                .isTrue();
        sent++;
        for (int i = 0; i < sent; i++) {
            awaitLog("A message of kind", "was dropped");
        }
        assertThat(members.get(1).engine.notUnderstood().count()).isEqualTo(sent);
        assertThat(members.get(0).engine.notUnderstood().count()).isZero();
        assertWhole("after messages that no node sends");
    }

    /** What follows a right greeting is read by JGroups, which must go on with all others. */
    @Promise("83.9")
    @Test
    void garbageAfterTheGreetingHarmsNothing() throws Exception {
        two(settings -> settings);
        var random = new Random(26);
        for (int i = 0; i < 40; i++) {
            for (var each : members) {
                var bytes = new ByteArrayOutputStream();
                var out = new DataOutputStream(bytes);
                greet(out, 1 + i);
                if (i % 2 == 0) { // a frame with a message of this type, and the right version
                    out.writeInt(5_000);
                    out.writeShort(Version.version);
                    out.writeByte(0);
                    out.writeShort(i / 2);
                }
                var noise = new byte[10_000];
                random.nextBytes(noise);
                out.write(noise);
                send(port(each), bytes.toByteArray());
            }
        }
        assertWhole("after garbage in frames");
    }

    /** What a node says first: that it is one, the version of JGroups, and its address. */
    private static void greet(DataOutputStream out, int port) throws Exception {
        var address = new IpAddress("127.0.0.1", port);
        out.writeBytes("bela");
        out.writeShort(Version.version);
        out.writeShort(address.serializedSize());
        address.writeTo(out);
    }

    /** Something that would be done by being read. */
    private static final class Trap implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;
        static volatile boolean isSprung;

        @Serial
        private void readObject(ObjectInputStream in) {
            isSprung = true;
        }
    }

    /** A process that is admitted speaks with JGroups, which reads such objects before it asks for whom they are. */
    @Promise("83.9")
    @Test
    void noObjectOfJavasSerializationIsRead() throws Exception {
        two(settings -> settings);
        var hosts = new ArrayList<>(members.stream().map(each -> each.engine.where()).toList());
        var own = Ports.free(1).getFirst();
        hosts.add("127.0.0.1:" + own);
        try (var stranger =
                Stack.of(InfinispanSettings.of("test", "127.0.0.1", own, hosts), new NotUnderstood(),
                        made -> {
                        }).createChannel("test")) {
            stranger.connect("test");
            stranger.send(new ObjectMessage(stranger.getView().getCoord(), new Trap()));
            awaitLog("failed handling incoming message");
        }
        assertThat(Trap.isSprung).isFalse();
    }
}
