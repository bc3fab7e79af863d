package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.cluster.ClusterException;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.testing.Promise;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Nodes that talk by TLS, on real sockets. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EncryptionTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(NotUnderstood.class);

    @TempDir
    private Path folder;
    private final List<EngineMember> members = new ArrayList<>();
    private final LinkedBlockingQueue<String> refused = new LinkedBlockingQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            refused.add(event.getFormattedMessage());
        }
    };

    @BeforeEach
    void listen() {
        appender.start();
        LOGGER.addAppender(appender);
    }

    /** Waits for a line that says this, and returns it. */
    private String awaitLine(String text) throws InterruptedException {
        String line;
        do {
            line = refused.poll(60, TimeUnit.SECONDS);
            assertThat(line).as("a line with " + text).isNotNull();
        } while (!line.contains(text));
        return line;
    }

    private interface Attempt {
        void connect() throws Exception;
    }

    /** Connects until the log has a line: on a busy machine a connection may be so slow that the node closes it before. */
    private String awaitLine(String text, Attempt attempt) throws Exception {
        while (true) {
            attempt.connect();
            for (var line = refused.poll(5, TimeUnit.SECONDS); line != null; line = refused.poll()) {
                if (line.contains(text)) {
                    return line;
                }
            }
        }
    }

    private DatabaseSettings plain() {
        return DatabaseSettings.of("file:" + folder.resolve("cluster.db")).lease(EngineContract.LEASE);
    }

    private DatabaseSettings pinned() {
        return plain().encryption(() -> Optional.of(NodeTls.ofThisProcess()));
    }

    private List<EngineMember> start(int size, DatabaseSettings settings) throws Exception {
        members.addAll(EngineMember.start(size, settings));
        return members;
    }

    @AfterEach
    void close() {
        members.forEach(each -> each.engine.close());
        LOGGER.detachAppender(appender);
    }

    private void update(String change) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("cluster.db"));
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout=5000");
            statement.executeUpdate(change);
        }
    }

    private static Socket connect(EngineMember to) throws IOException {
        return new Socket(InetAddress.getByName("127.0.0.1"), to.engine.port());
    }

    private static NodeAddress address(EngineMember of, NodeTls tls) {
        return new NodeAddress("127.0.0.1", of.engine.port(), tls.digest());
    }

    @Promise("92.9")
    @Test
    void nodesThatEncryptWorkAsOthersDo() throws Exception {
        var two = start(2, pinned());
        awaitSent(two.get(0), two.get(1), "first");
        awaitSent(two.get(1), two.get(0), "first");
        for (int i = 0; i < 200; i++) {
            assertThat(two.get(0).send(two.get(1), "m" + i)).isTrue();
        }
        for (int i = 0; i < 200; i++) {
            String message;
            do { // the first one may have come twice
                message = two.get(1).messages.poll(60, TimeUnit.SECONDS);
            } while ("first".equals(message));
            assertThat(message).isEqualTo("m" + i);
        }
        var large = "secret".repeat(300_000);
        assertThat(two.get(1).send(two.get(0), large)).isTrue();
        String came;
        do {
            came = two.get(0).messages.poll(60, TimeUnit.SECONDS);
        } while ("first".equals(came));
        assertThat(came).isEqualTo(large);
        assertThat(two.get(0).compareAndSet("t", "k", null, "1".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(Outcome.DONE);
        two.get(1).awaitEntry("t/k=1");
        // A closed port proves a death, as without encryption.
        two.get(0).engine.close();
        assertThat(two.get(1).awaitView(1)).isEmpty();
    }

    /** What somebody between two nodes sees. */
    @Promise("92.9")
    @Test
    void whoStandsBetweenNodesReadsNothing() throws Exception {
        var first = start(1, pinned()).getFirst();
        var row = NodeAddress.of(text("SELECT address FROM fibry_cluster_nodes"));
        var seen = new ByteArrayOutputStream();
        try (var relay = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
            Thread.ofVirtual().start(() -> relay(relay, row.port(), seen));
            update("UPDATE fibry_cluster_nodes SET address = '"
                    + new NodeAddress("127.0.0.1", relay.getLocalPort(), row.certificate()).row() + "'");
            var second = new EngineMember("second", pinned());
            members.add(second);
            assertThat(second.start().majority()).isTrue();
            awaitSent(second, first, "a secret");
        }
        synchronized (seen) {
            assertThat(seen.toByteArray()[0]).isEqualTo((byte) NodeTls.FIRST_BYTE);
            assertThat(seen.toString(StandardCharsets.ISO_8859_1)).doesNotContain("secret");
        }
    }

    /** Passes on what connections bring, both ways, and writes down what goes to the node. */
    private static void relay(ServerSocket server, int to, ByteArrayOutputStream seen) {
        while (!server.isClosed()) {
            try {
                var from = server.accept();
                var node = new Socket(InetAddress.getByName("127.0.0.1"), to);
                Thread.ofVirtual().start(() -> pass(node, from, new ByteArrayOutputStream()));
                Thread.ofVirtual().start(() -> pass(from, node, seen));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void pass(Socket from, Socket to, ByteArrayOutputStream seen) {
        try (from; to) {
            var buffer = new byte[1 << 16];
            for (var n = from.getInputStream().read(buffer); n >= 0; n = from.getInputStream().read(buffer)) {
                synchronized (seen) {
                    seen.write(buffer, 0, n);
                }
                to.getOutputStream().write(buffer, 0, n);
            }
        } catch (IOException closed) {
            // The other side is told by the end of its connection.
        }
    }

    /** A process that has the port of a node, or stands between, has another key. */
    @Promise("92.9")
    @Test
    void anotherCertificateThanThatOfTheRowIsRefused() throws Exception {
        var one = start(1, pinned().lease(Duration.ofSeconds(5))).getFirst(); // it is refused at a beat
        try (var pretender = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
            var other = NodeTls.ofThisProcess();
            var got = new LinkedBlockingQueue<Integer>();
            Thread.ofVirtual().start(() -> {
                while (!pretender.isClosed()) {
                    try (var socket = pretender.accept()) {
                        var first = socket.getInputStream().read();
                        got.add(first < 0 ? first : other.accept(socket).getInputStream().read());
                    } catch (IOException refused) {
                        got.add(-1);
                    }
                }
            });
            var row = new NodeAddress("127.0.0.1", pretender.getLocalPort(), NodeTls.ofThisProcess().digest())
                    .row();
            update("INSERT INTO fibry_cluster_nodes SELECT cluster, '" + UUID.randomUUID()
                    + "', joined + 1, 1, 0, 0, '" + row
                    + "', 'another machine', description, '', lease FROM fibry_cluster_nodes");
            update("UPDATE fibry_cluster_states SET view = view + 1");
            one.awaitView(2);
            assertThat(got.poll(60, TimeUnit.SECONDS)).as("not a byte of the node was sent").isEqualTo(-1);
            assertThat(awaitLine("127.0.0.1:" + pretender.getLocalPort()))
                    .contains("it has shown the certificate sha256=" + other.digest())
                    .contains("the row of the node in the database has sha256=");
        }
    }

    /** It knows the numbers of both nodes, and has not the key of the one that it says it is. */
    @Promise("92.9")
    @Test
    void whoSaysItIsANodeAndShowsAnotherCertificateIsNotAdmitted() throws Exception {
        var two = start(2, pinned());
        var stranger = NodeTls.ofThisProcess();
        var own = NodeAddress.of(text("SELECT address FROM fibry_cluster_nodes WHERE address LIKE '%:"
                + two.get(0).engine.port() + " %'"));
        assertThat(awaitLine("sha256=" + stranger.digest(),
                () -> talk(two.get(0), stranger, own, two.get(1)))).contains("was not admitted as a node");
        assertThat(two.get(0).engine.notUnderstood().count()).isPositive();
        // The connection of the real one is there.
        awaitSent(two.get(1), two.get(0), "still here");
    }

    /** Says that it is a node, and waits until it is refused. */
    private static void talk(EngineMember to, NodeTls tls, NodeAddress expected, EngineMember from) {
        try (var socket = connect(to)) {
            var secure = tls.connect(socket, expected);
            secure.getOutputStream().write(Greeting.of(Greeting.TALK, from.id(), to.id()).array());
            assertThat(secure.getInputStream().read()).isEqualTo(-1);
        } catch (IOException refused) {
            // Earlier, or later, as the other side is fast.
        }
    }

    /** Sends until the message has come: what cannot be written is lost, and sent again by the streams above engines. */
    private static void awaitSent(EngineMember from, EngineMember to, String message)
            throws InterruptedException {
        do {
            assertThat(from.send(to, message)).isTrue();
        } while (!message.equals(to.messages.poll(2, TimeUnit.SECONDS)));
    }

    private String text(String query) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("cluster.db"));
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    @Promise("92.9")
    @Test
    void plainTextIsRefusedWhereNodesEncryptAndTheOtherWayRound() throws Exception {
        var encrypted = start(1, pinned()).getFirst();
        var unused = awaitLine("it speaks plain text, and this node TLS", () -> {
            try (var socket = connect(encrypted)) {
                socket.getOutputStream()
                        .write(Greeting.of(Greeting.TALK, UUID.randomUUID(), encrypted.id()).array());
                assertThat(readAll(socket)).isEqualTo(-1);
            }
        });
        var late = new EngineMember("late", plain());
        assertThatThrownBy(() -> late.engine.start(late.info, late)).isInstanceOf(ClusterException.class)
                .hasMessageContaining("speaks plain text, and another one, at 127.0.0.1:"
                        + encrypted.engine.port() + ", TLS")
                .hasMessageContaining("FIBRY_TRUSTED_NETWORK");
        assertThat(encrypted.seen()).containsExactly(encrypted.id());

        var open = new EngineMember("open", plain().cluster("another"));
        members.add(open);
        assertThat(open.start().majority()).isTrue();
        var tls = NodeTls.ofThisProcess();
        unused = awaitLine("it speaks TLS, and this node plain text",
                () -> talk(open, tls, address(open, tls), encrypted));
    }

    /** Each takes a place of those who have not said who they are, and says a byte now and then. */
    @Promise("84.4")
    @Test
    void whoSaysTooSlowlyWhoItIsKeepsNoNodeOut() throws Exception {
        var first = start(1, pinned()).getFirst();
        var sockets = new ArrayList<Socket>();
        var ends = new AtomicBoolean();
        try {
            for (int i = 0; i < 64; i++) {
                var socket = connect(first);
                sockets.add(socket);
                socket.getOutputStream().write(new byte[]{NodeTls.FIRST_BYTE, 3, 1, 0x3F, 0}); // a record of 16,128 bytes
            }
            Thread.ofVirtual().start(() -> {
                while (!ends.get()) {
                    for (var each : sockets) {
                        try {
                            each.getOutputStream().write(0);
                        } catch (IOException closed) {
                            continue;
                        }
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                }
            });
            var second = new EngineMember("second", pinned());
            members.add(second);
            assertThat(second.start().majority()).isTrue();
            do { // what cannot be written while the others are there is lost, and sent again
                assertThat(second.send(first, "hello")).isTrue();
            } while (!"hello".equals(first.messages.poll(100, TimeUnit.MILLISECONDS)));
        } finally {
            ends.set(true);
            for (var each : sockets) {
                each.close();
            }
        }
    }

    private static int readAll(Socket socket) {
        try {
            return socket.getInputStream().read();
        } catch (IOException reset) {
            return -1;
        }
    }

    /** Nobody has to say it: only loopback addresses and trusted networks have plain text. */
    @Promise("92.9")
    @Test
    void whatOtherMachinesReachIsEncrypted() throws Exception {
        assertThat(plain().tls()).isEmpty();
        assertThat(plain().nodeName()).doesNotContain("127.0.0.1");
        var reached = DatabaseSettings.of("jdbc:postgresql://192.0.2.2/bank").listen("192.0.2.1", 7800);
        assertThat(reached.tls()).isPresent();
        assertThat(reached.nodeName())
                .as("in containers all processes have the same id").endsWith(" of 192.0.2.1");
        assertThat(reached.trustedNetwork().tls()).isEmpty();
        var keys = StoreFiles.write(folder.resolve("keys.p12"), SelfSigned.make("a"), "password");
        var other = StoreFiles.write(folder.resolve("other.p12"), SelfSigned.make("b"), "password");
        assertThatThrownBy(() -> plain().certificates(keys, other, "wrong").tls())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("keys.p12 cannot be read").hasMessageNotContaining("wrong):");
        assertThat(plain().certificates(keys, keys, "password").tls()).isPresent();
    }

    /** A node with a certificate of one's own is in, and one whose certificate the authority has not signed is not. */
    @Promise("92.9")
    @Test
    void certificatesOfOnesOwn() throws Exception {
        var one = SelfSigned.make("one");
        var keys = StoreFiles.write(folder.resolve("keys.p12"), one, "password");
        var trusted = StoreFiles.writeTrusted(folder.resolve("trusted.p12"), one, "password");
        var settings = plain().certificates(keys, trusted, "password");
        var two = start(2, settings);
        awaitSent(two.get(0), two.get(1), "hello");
        var own =
                new NodeAddress("127.0.0.1", two.get(0).engine.port(), settings.tls().orElseThrow().digest());
        var tls = NodeTls.ofThisProcess();
        var unused = awaitLine("CN=fibry-node is not trusted", () -> talk(two.get(0), tls, own, two.get(1)));
    }

    @Test
    void aCertificateThatIsMadeIsOneForTheJdk() throws Exception {
        var made = SelfSigned.make("nøde");
        made.certificate().verify(made.certificate().getPublicKey());
        made.certificate().checkValidity();
        assertThat(made.certificate().getVersion()).isEqualTo(3);
        assertThat(made.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=nøde");
        assertThat(made.certificate().getSigAlgName()).isEqualTo("SHA256withECDSA");
        assertThat(SelfSigned.make("nøde").certificate().getSerialNumber())
                .isNotEqualTo(made.certificate().getSerialNumber());
    }

    private static final class StoreFiles {
        static Path write(Path file, SelfSigned own, String password) throws Exception {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("node", own.key(), password.toCharArray(),
                    new Certificate[]{own.certificate()});
            return write(store, file, password);
        }

        static Path writeTrusted(Path file, SelfSigned own, String password) throws Exception {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry("node", own.certificate());
            return write(store, file, password);
        }

        private static Path write(KeyStore store, Path file, String password) throws Exception {
            try (var out = Files.newOutputStream(file)) {
                store.store(out, password.toCharArray());
            }
            return file;
        }
    }
}
