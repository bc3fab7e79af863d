package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.OpenSockets;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class UdpTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final UdpOptions LOCAL = UdpOptions.address(new InetSocketAddress(HERE, 0));
    private final Recorder recorder = new Recorder();

    private static void echo(DatagramSocket socket, DatagramPacket packet) throws IOException {
        socket.send(packet);
    }

    private static String text(DatagramPacket packet) {
        return new String(packet.getData(), packet.getOffset(), packet.getLength(), StandardCharsets.UTF_8);
    }

    private static DatagramPacket packet(String text, InetAddress to, int port) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return new DatagramPacket(bytes, bytes.length, to, port);
    }

    private static DatagramSocket client() throws IOException {
        var client = new DatagramSocket(0, HERE);
        client.setSoTimeout(Patience.MILLIS);
        return client;
    }

    private static String receive(DatagramSocket client) throws IOException {
        var answer = new DatagramPacket(new byte[70_000], 70_000);
        client.receive(answer);
        return text(answer);
    }

    @EveryStrategy
    void aDatagramIsAnswered(Strategy strategy) throws Exception {
        var sockets = OpenSockets.count();
        var told = new CompletableFuture<Integer>();
        try (var server = Stereotypes.on(strategy.create()).udpReceiver(LOCAL, UdpTest::echo, told::complete);
                var client = client()) {
            assertThat(server.port()).isEqualTo(Waits.on(told)).isPositive();
            assertThat(server.connections()).isZero();
            for (var text : List.of("hello", "", "x".repeat(60_000))) {
                client.send(packet(text, HERE, server.port()));
                assertThat(receive(client)).isEqualTo(text);
            }
        }
        OpenSockets.areBack(sockets);
    }

    @Test
    void receivingTakesNoPlaceFromTheHandler() throws Exception {
        try (var small = ActorSystem.configure("small").limits(ScopeLimits.none().running(1)).open();
                var client = client()) {
            var server = Stereotypes.with(small.anonymous()).udpReceiver(LOCAL, UdpTest::echo, null);
            client.send(packet("hello", HERE, server.port()));
            assertThat(receive(client)).isEqualTo("hello");
        }
    }

    @Promise("49.2")
    @Test
    void aGroupsDatagramsReachItsMembers() throws Exception {
        var group = InetAddress.getByName("239.255.77.78");
        var through = NetworkInterface.getByInetAddress(HERE);
        var options = UdpOptions.port(0).group(group).networkInterface(through);
        var first = new CompletableFuture<String>();
        var second = new CompletableFuture<String>();
        try (var one =
                Stereotypes.def().udpReceiver(options, (s, packet) -> first.complete(text(packet)), null);
                var two = Stereotypes.def().udpReceiver(
                        UdpOptions.port(one.port()).group(group).networkInterface(through),
                        (s, packet) -> second.complete(text(packet)), null);
                var client = new DatagramSocket(0, HERE)) {
            client.setOption(StandardSocketOptions.IP_MULTICAST_IF, through);
            client.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            client.send(packet("to all", group, two.port()));
            assertThat(Waits.on(first)).isEqualTo("to all");
            assertThat(Waits.on(second)).isEqualTo("to all");
        }
    }

    @Test
    void whatAHandlerThrowsIsAFailureAndTheNextDatagramIsHandled() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.named("udp")).udpReceiver(LOCAL, (socket, packet) -> {
                    if (text(packet).equals("bug")) {
                        throw new IllegalStateException("bug");
                    }
                    socket.send(packet);
                }, null);
                var client = client()) {
            client.send(packet("bug", HERE, server.port()));
            client.send(packet("hello", HERE, server.port()));
            assertThat(receive(client)).isEqualTo("hello");
            assertThat(recorder.only(Failed.class).actor()).isEqualTo("udp");
        }
    }

    @Test
    void whatComesWhileTooManyWaitIsDroppedAndTold() throws Exception {
        var busy = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).udpReceiver(LOCAL.maxWaiting(2),
                        (socket, packet) -> {
                            busy.countDown();
                            Waits.on(go);
                        }, null);
                var client = client()) {
            client.send(packet("first", HERE, server.port()));
            Waits.on(busy);
            for (int i = 0; i < 5; i++) {
                client.send(packet("" + i, HERE, server.port()));
            }
            assertThat(recorder.await(Undelivered.class, 3)).hasSize(3);
            go.countDown();
        }
    }

    @Test
    void aGracefulStopHandlesWhatHasComeAndMayStillAnswer() throws Exception {
        var busy = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var server = Stereotypes.def().udpReceiver(LOCAL, (socket, packet) -> {
            busy.countDown();
            Waits.on(go);
            socket.send(packet);
        }, null);
        try (var client = client()) {
            client.send(packet("hello", HERE, server.port()));
            Waits.on(busy);
            var report = CompletableFuture.supplyAsync(() -> server.stop(Duration.ofSeconds(30)));
            go.countDown();
            assertThat(receive(client)).isEqualTo("hello");
            assertThat(Waits.on(report).forced()).isFalse();
            assertThat(server.waitForExit(Patience.LIMIT)).isTrue();
        }
    }

    @Test
    void aHandlerMayStopTheServer() throws Exception {
        var server = new CompletableFuture<Server>();
        server.complete(Stereotypes.def().udpReceiver(LOCAL, (s, packet) -> server.join().close(), null));
        try (var client = client()) {
            client.send(packet("stop", HERE, server.join().port()));
            assertThat(server.join().waitForExit(Patience.LIMIT)).isTrue();
        }
    }

    @Test
    void aServerWhoseHandlerClosesTheSocketEnds() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open(); var client = client()) {
            var server =
                    Stereotypes.with(scope.anonymous()).udpReceiver(LOCAL, (socket, packet) -> socket.close(),
                            null);
            client.send(packet("close", HERE, server.port()));
            assertThat(server.waitForExit(Patience.LIMIT)).isTrue();
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @Test
    void whatCannotBeIsRefusedWithTheReason() throws Exception {
        try (var server = Stereotypes.def().udpReceiver(LOCAL, UdpTest::echo, null)) {
            assertThatThrownBy(() -> Stereotypes.def().udpReceiver(UdpOptions.address(server.address()),
                    UdpTest::echo, null)).isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("cannot receive datagrams on")
                    .hasMessageContaining(":" + server.port());
        }
        assertThatThrownBy(() -> LOCAL.group(HERE)).hasMessageContaining("no multicast group");
        assertThatThrownBy(() -> LOCAL.maxBytes(0)).hasMessageContaining("maxBytes");
        assertThatThrownBy(() -> LOCAL.maxWaiting(0)).hasMessageContaining("maxWaiting");
        assertThatThrownBy(() -> Stereotypes.def().udpReceiver(LOCAL, null, null))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("handler");
    }

    @Test
    void theEndOfTheScopeClosesTheSocketBeforeHooksRun() throws Exception {
        var sockets = OpenSockets.count();
        var openAtHook = new CompletableFuture<Long>();
        try (var scope = ActorSystem.open("test")) {
            Stereotypes.with(scope.anonymous().onExit(() -> openAtHook.complete(OpenSockets.count())))
                    .udpReceiver(LOCAL, UdpTest::echo, null);
        }
        // Fewer are open if one that nobody refers to any more was closed meanwhile.
        assertThat(openAtHook).isCompletedWithValueMatching(open -> open <= sockets);
    }

    /** The clock stands still: whatever waits for a while would wait for ever. */
    @Test
    void closingInterruptsTheHandlerAtOnce() throws Exception {
        var busy = new CountDownLatch(1);
        try (var scope = ActorSystem.configure("test").time(new ManualTime()).listener(recorder).open();
                var client = client()) {
            var server = Stereotypes.with(scope.anonymous()).udpReceiver(LOCAL, (socket, packet) -> {
                busy.countDown();
                new CountDownLatch(1).await();
            }, null);
            client.send(packet("hello", HERE, server.port()));
            Waits.on(busy);
            server.close();
            assertThat(server.waitForExit(Duration.ZERO)).isTrue();
        }
    }

    @Test
    void deadlinesAreChecked() {
        try (var server = Stereotypes.def().udpReceiver(LOCAL, UdpTest::echo, null)) {
            assertThatThrownBy(() -> server.stop(Duration.ofMillis(-1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("deadline");
            assertThat(server.waitForExit(Duration.ZERO)).isFalse();
        }
        assertThatThrownBy(() -> LOCAL.maxBytes(65_536)).hasMessageContaining("at most 65535")
                .hasMessageContaining("65536");
    }
}
