package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.internal.memory.Interleave;
import io.fibry.testing.Child;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Sneaky;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Threads of a mesh go on after an error, such as one for want of memory. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MeshTest {
    private static final int STRANGERS = 65;
    private static final int MILLIS = 60_000;
    private static final UUID PEER = UUID.randomUUID();
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    /** The thread that sets it can start no other. */
    private static final InheritableThreadLocal<Boolean> NO_THREADS = new InheritableThreadLocal<>() {
        @Override
        protected Boolean childValue(Boolean parent) {
            throw new OutOfMemoryError("no thread, as the test wants it");
        }
    };

    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();

    private Mesh mesh(UUID self) throws IOException {
        var mesh = new Mesh(self, "127.0.0.1", 0, Optional.empty(), TimeUnit.MINUTES.toNanos(1),
                new Mesh.Listener() {
                    @Override
                    public void received(UUID from, byte kind, ByteBuffer body) {
                        received.add(kind + " of " + from);
                        if (kind == 1) {
                            throw new AssertionError("of the listener, as the test wants it");
                        }
                    }

                    @Override
                    public void strange(UUID node) {
                    }

                    @Override
                    public void suspect(UUID node) {
                    }
                }, new NotUnderstood());
        mesh.begin();
        return mesh;
    }

    /** The one who accepts connections has no memory left when it wants to say something. */
    @Test
    void connectionsAreAcceptedAfterAnError() throws Exception {
        var log = new AppenderBase<ILoggingEvent>() {
            final AtomicInteger errors = new AtomicInteger();

            @Override
            protected void append(ILoggingEvent event) {
                if (event.getMessage().contains("have not said who they are")
                        && errors.getAndIncrement() == 0) {
                    throw new AssertionError("of the log, as the test wants it");
                }
            }
        };
        var logger = (Logger) LoggerFactory.getLogger(NotUnderstood.class);
        log.start();
        logger.addAppender(log);
        var self = UUID.randomUUID();
        var strangers = new ArrayList<Socket>();
        try (var mesh = mesh(self)) {
            while (log.errors.get() == 0) {
                strangers.add(new Socket("127.0.0.1", mesh.port()));
                assertThat(strangers).hasSizeLessThan(10 * STRANGERS);
            }
            for (var each : strangers) {
                each.close();
            }
            while (!isThere(self, mesh.port())) {
                Thread.onSpinWait(); // until the strangers are gone
            }
        } finally {
            logger.detachAppender(log);
        }
    }

    /** It may have ended since the answer was on its way. */
    @Test
    void whoIsSuspectedWhileItIsAskedIsAskedOnceMore() throws Exception {
        var gone = new CountDownLatch(1);
        var peer = new ServerSocket(0, 1, LOOPBACK);
        try (var mesh = mesh(UUID.randomUUID())) {
            var address = new NodeAddress("127.0.0.1", peer.getLocalPort(), "");
            mesh.ask(PEER, address, gone::countDown);
            try (var first = peer.accept()) {
                mesh.ask(PEER, address, gone::countDown);
                peer.close();
                first.getInputStream().readNBytes(Greeting.BYTES);
                first.getOutputStream().write(Greeting.IS_THERE);
            }
            gone.await();
        }
    }

    /** Else an outgoing connection of any process may have the port that a node had before, or wants. */
    @Promise("83.3")
    @Test
    void aPortThatIsFreeIsNoneOfOutgoingConnections() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (var mesh = mesh(UUID.randomUUID())) {
                assertThat(mesh.port()).as("Linux gives ports from 32768 on, others from 49152 on")
                        .isBetween(10_000, 32_767);
            }
        }
    }

    /** The text of a refusal is in the language of the system. */
    @Promise("92.1")
    @Test
    void aRefusalIsOneWhateverItsText() throws Exception {
        var before = ProxySelector.getDefault();
        try (var nobody = new Socket(); var mesh = mesh(UUID.randomUUID())) {
            nobody.bind(new InetSocketAddress(LOOPBACK, 0));
            var address = new NodeAddress("127.0.0.1", nobody.getLocalPort(), "");
            assertThat(mesh.presence(PEER, address)).isEqualTo(Mesh.Presence.GONE);
            for (var each : List.of(new ConnectException("abgelehnt"), new NoRouteToHostException("refused"),
                    new SocketException("refused"))) {
                ProxySelector.setDefault(failing(address.port(), each));
                assertThat(mesh.presence(PEER, address)).as("%s", each).isEqualTo(
                        each instanceof ConnectException ? Mesh.Presence.GONE : Mesh.Presence.UNKNOWN);
            }
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    /** Makes connections to a port fail. */
    private static ProxySelector failing(int port, IOException failure) {
        return new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                if (uri.getPort() == port) {
                    throw Sneaky.thrown(failure);
                }
                return List.of(Proxy.NO_PROXY);
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException failed) {
            }
        };
    }

    private static boolean isThere(UUID node, int port) throws IOException {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(MILLIS);
            socket.getOutputStream().write(Greeting.of(Greeting.ASK, PEER, node).array());
            return socket.getInputStream().read() == Greeting.IS_THERE;
        } catch (SocketException closed) {
            return false;
        }
    }

    @Test
    void aConnectionOfAFormerMemberEnds() throws Exception {
        Child.run(FormerMember.class, List.of("-ea", "-Dio.fibry.interleave=true"));
    }

    /** A node ceases to be a member when its connection was admitted, and is not listed yet. */
    static final class FormerMember {
        public static void main(String[] arguments) throws Exception {
            var self = UUID.randomUUID();
            try (var mesh = new MeshTest().mesh(self); var node = new Socket("127.0.0.1", mesh.port())) {
                mesh.keep(Map.of(PEER, new NodeAddress("127.0.0.1", 1, "")));
                Interleave.hook(() -> mesh.keep(Map.of()));
                node.setSoTimeout(MILLIS);
                node.getOutputStream().write(Greeting.of(Greeting.TALK, PEER, self).array());
                assertThat(node.getInputStream().read()).as("the end").isEqualTo(-1);
            }
        }
    }

    /** The error ends the connection, and the link makes another one. */
    @LogsErrors
    @Test
    void framesComeAfterAnErrorOfTheReader() throws Exception {
        var self = UUID.randomUUID();
        try (var mesh = mesh(self); var peer = mesh(PEER)) {
            mesh.keep(Map.of(PEER, new NodeAddress("127.0.0.1", peer.port(), "")));
            peer.keep(Map.of(self, new NodeAddress("127.0.0.1", mesh.port(), "")));
            peer.send(self, (byte) 1, ByteBuffer.allocate(0));
            assertThat(received.take()).startsWith("1 of");
            while (received.isEmpty()) { // what is written while the connection ends is lost
                peer.send(self, (byte) 2, ByteBuffer.allocate(0));
                Thread.yield();
            }
            assertThat(received.take()).startsWith("2 of");
        }
    }

    /** Otherwise it would be taken for the one that writes, for ever. */
    @LogsErrors
    @Test
    void aLinkGoesOnWhenItsWriterHasFailed() throws Exception {
        try (var nobody = new Socket()) { // has a port, on which nobody listens
            nobody.bind(new InetSocketAddress(LOOPBACK, 0));
            var failures = new AtomicInteger();
            var link = new NodeLink(UUID.randomUUID(), PEER,
                    new NodeAddress("127.0.0.1", nobody.getLocalPort(), ""), Optional.empty(), lost -> {
                        if (failures.incrementAndGet() == 1) {
                            throw new AssertionError("of the listener, as the test wants it");
                        }
                    });
            while (failures.get() < 2) { // it pauses after a failure
                assertThat(link.send((byte) 1, ByteBuffer.allocate(0))).isTrue();
                Thread.yield();
            }
            link.close();
        }
    }

    /** Otherwise those that send later would leave all to a thread that was never there. */
    @Test
    void aLinkGoesOnWhenItsWriterCouldNotBeStarted() throws Exception {
        try (var nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(LOOPBACK, 0));
            var failures = new AtomicInteger();
            var link = new NodeLink(UUID.randomUUID(), PEER,
                    new NodeAddress("127.0.0.1", nobody.getLocalPort(), ""), Optional.empty(),
                    lost -> failures.incrementAndGet());
            assertThatThrownBy(() -> link.offer((byte) 1, ByteBuffer.allocate(0), task -> {
                throw new OutOfMemoryError("no thread, as the test wants it");
            })).isInstanceOf(OutOfMemoryError.class);
            assertThat(link.send((byte) 1, ByteBuffer.allocate(0))).isTrue();
            assertThat(failures).as("which this thread has met").hasValue(1);
            link.close();
        }
    }

    /** There is no memory even to say what has failed. */
    @Test
    void aLinkGoesOnWhenItsLogFails() {
        var log = new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                throw new AssertionError("of the log, as the test wants it");
            }
        };
        var logger = (Logger) LoggerFactory.getLogger(NodeLink.class);
        log.start();
        logger.addAppender(log);
        try {
            var link = new NodeLink(UUID.randomUUID(), PEER, new NodeAddress("127.0.0.1", 1 << 16, ""),
                    Optional.empty(), lost -> {
                    }); // there is no such port, which is no failure of a connection
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> link.send((byte) 1, ByteBuffer.allocate(0)))
                        .hasMessageContaining("of the log");
            }
        } finally {
            logger.detachAppender(log);
        }
    }

    /** Otherwise it would be taken for one that is being asked, for ever. */
    @Test
    void whoCouldNotBeAskedForWantOfAThreadIsAskedLater() throws Exception {
        try (var nobody = new Socket(); var mesh = mesh(UUID.randomUUID())) {
            nobody.bind(new InetSocketAddress(LOOPBACK, 0));
            var address = new NodeAddress("127.0.0.1", nobody.getLocalPort(), "");
            var gone = new CountDownLatch(1);
            NO_THREADS.set(true);
            try {
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(() -> mesh.ask(PEER, address, gone::countDown))
                            .isInstanceOf(OutOfMemoryError.class);
                }
            } finally {
                NO_THREADS.remove();
            }
            mesh.ask(PEER, address, gone::countDown);
            gone.await();
        }
    }
}
