package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.OpenSockets;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class TcpForwardTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);
    private final Recorder recorder = new Recorder();

    private ActorScope scope() {
        return ActorSystem.configure("test").listener(recorder).open();
    }

    private static Server forward(ActorScope scope, TcpOptions options, Server target) {
        return Stereotypes.with(scope.anonymous()).tcpForward(options,
                InetSocketAddress.createUnresolved("localhost", target.port()), null);
    }

    @EveryStrategy
    @Promise("18.1")
    void bytesGoThereAndBack(Strategy strategy) throws Exception {
        var sockets = OpenSockets.count();
        try (var target = Stereotypes.def().tcpAcceptor(LOCAL, Lines::echo, null);
                var scope = ActorSystem.configure("test").strategy(strategy.create()).open();
                var server = forward(scope, LOCAL, target)) {
            try (var other = new Client(server); var third = new Client(server)) {
                assertThat(other.ask("other")).isEqualTo("other");
                assertThat(third.ask("third")).isEqualTo("third");
                for (int i = 0; i < 5; i++) {
                    try (var client = new Client(server)) {
                        assertThat(client.ask("hello " + i)).isEqualTo("hello " + i);
                        assertThat(client.send("last").half().rest()).isEqualTo("last\n");
                    }
                }
            }
            Waits.until("all have ended", () -> server.connections() == 0 && target.connections() == 0);
        }
        OpenSockets.areBack(sockets);
    }

    @Test
    void muchGoesThereAndBackAtTheSameTime() throws Exception {
        try (var target = Stereotypes.def().tcpAcceptor(LOCAL, Lines::echo, null);
                var scope = scope();
                var server = forward(scope, LOCAL, target)) {
            var clients = new ArrayList<Client>();
            for (int i = 0; i < 20; i++) {
                clients.add(new Client(server).send(("line of " + i + "\n").repeat(2_000)).half());
            }
            for (int i = 0; i < 20; i++) {
                assertThat(clients.get(i).rest()).isEqualTo(("line of " + i + "\n").repeat(2_000));
                clients.get(i).close();
            }
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("18.1")
    void aTargetThatIsNotThereIsNamedWithThePeer() throws Exception {
        var gone = Stereotypes.def().tcpAcceptor(LOCAL, Lines::echo, null);
        gone.close();
        try (var scope = scope(); var server = forward(scope, LOCAL, gone); var client = new Client(server)) {
            assertThat(client.isCut()).isTrue();
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).contains(client.address());
            assertThat(failed.cause()).hasMessageContaining("cannot forward to localhost")
                    .hasMessageContaining(":" + gone.port());
            Waits.until("it has ended", () -> server.connections() == 0);
        }
    }

    @Test
    void aTargetThatClosesEndsTheClient() throws Exception {
        try (var target = Stereotypes.def().tcpAcceptor(LOCAL, conn -> Lines.write(conn, "bye"), null);
                var scope = scope();
                var server = forward(scope, LOCAL, target);
                var client = new Client(server)) {
            assertThat(client.half().rest()).isEqualTo("bye\n");
        }
    }

    @Test
    @Promise("18.1")
    void aResetOfTheClientReachesTheTarget() throws Exception {
        try (var target = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null);
                var scope = scope();
                var server = forward(scope, LOCAL, target)) {
            var client = new Client(server);
            client.ask("hello");
            client.reset();
            Waits.until("both have ended", () -> server.connections() == 0 && target.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("18.1")
    void theClientMaySendOnWhenTheTargetHasSaidAll() throws Exception {
        var atTarget = new CompletableFuture<String>();
        try (var target = Stereotypes.def().tcpAcceptorSilent(LOCAL, conn -> {
            Lines.write(conn, "bye");
            conn.shutdownOutput();
            atTarget.complete(new String(conn.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }, null);
                var scope = scope();
                var server = forward(scope, LOCAL, target);
                var client = new Client(server)) {
            assertThat(client.rest()).isEqualTo("bye\n");
            for (int i = 0; i < 1_000; i++) {
                client.send("line " + i + "\n");
            }
            client.half();
            assertThat(Waits.on(atTarget)).startsWith("line 0\n").endsWith("line 999\n");
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    /** An orderly end would pass off a part as the whole. */
    @Test
    @Promise("18.1")
    void whatEndsInTheMiddleEndsByAReset() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(1);
        var atTarget = new CompletableFuture<Throwable>();
        try (var target = Stereotypes.def().tcpAcceptorSilent(LOCAL, conn -> {
            var in = Lines.reader(conn);
            if (in.readLine().equals("reset")) {
                conn.setSoLinger(true, 0);
                return;
            }
            Lines.write(conn, "part");
            try {
                in.readLine();
                atTarget.complete(new AssertionError("an orderly end"));
            } catch (IOException reset) {
                atTarget.complete(reset);
            }
        }, null);
                var scope = ActorSystem.configure("test").listener(recorder).time(time).open();
                var server = forward(scope, LOCAL.totalTimeout(limit), target)) {
            try (var client = new Client(server)) {
                client.send("reset\n");
                assertThatThrownBy(client::rest).as("the target has reset")
                        .isInstanceOf(SocketException.class);
            }
            var resetting = new Client(server);
            assertThat(resetting.ask("go")).isEqualTo("part");
            resetting.reset();
            assertThat(Waits.on(atTarget)).as("at the target").isInstanceOf(SocketException.class);
            try (var client = new Client(server)) {
                assertThat(client.ask("go")).isEqualTo("part");
                time.advance(limit);
                assertThatThrownBy(client::rest).as("the time is over").isInstanceOf(SocketException.class);
            }
            Waits.until("all have ended", () -> server.connections() == 0 && target.connections() == 0);
        }
    }

    /** The client has sent all, the target says nothing: nobody reads the client's socket any more. */
    @Test
    void theDeadlineEndsBothDirections() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(1);
        var hasAll = new CountDownLatch(1);
        try (var target = Stereotypes.def().tcpAcceptorSilent(LOCAL, conn -> {
            var in = conn.getInputStream();
            while (in.read() >= 0) {
            }
            hasAll.countDown();
            new CountDownLatch(1).await();
        }, null);
                var scope = ActorSystem.configure("test").listener(recorder).time(time).open();
                var server = forward(scope, LOCAL.totalTimeout(limit), target);
                var client = new Client(server)) {
            client.send("hello").half();
            Waits.on(hasAll);
            time.advance(limit);
            assertThat(client.isCut()).isTrue();
            Waits.until("it has ended", () -> server.connections() == 0);
        }
    }

    @Test
    void aStopByForceEndsBothDirections() throws Exception {
        try (var target = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null);
                var scope = scope()) {
            var server = forward(scope, LOCAL, target);
            try (var client = new Client(server)) {
                client.ask("hello");
                server.close();
                assertThat(client.isCut()).isTrue();
            }
            Waits.until("the target is free", () -> target.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    /** Its target's system has no room for one more connection, and does not say so. */
    @Test
    void aStopDoesNotWaitForATargetThatDoesNotAnswer() throws Exception {
        try (var target = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var scope = ActorSystem.configure("test").strategy(CreationStrategy.threads())
                        .time(new ManualTime()).open()) {
            var fillers = fill(target);
            try (var server = Stereotypes.with(scope.anonymous()).tcpForward(LOCAL,
                    (InetSocketAddress) target.getLocalSocketAddress(), null);
                    var client = new Client(server)) {
                Waits.until("it connects", () -> server.connections() == 1);
                assertThat(server.stop(Duration.ZERO).stuck()).isEmpty();
                assertThat(client.isCut()).isTrue();
            } finally {
                for (var filler : fillers) {
                    filler.close();
                }
            }
        }
    }

    private static List<Socket> fill(ServerSocket target) throws IOException {
        var fillers = new ArrayList<Socket>();
        while (true) {
            var socket = new Socket();
            fillers.add(socket);
            try {
                socket.connect(target.getLocalSocketAddress(), 200);
            } catch (SocketTimeoutException full) {
                return fillers;
            }
        }
    }
}
