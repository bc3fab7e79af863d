package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.OpenSockets;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Clients that do what clients should not, and do. */
class TcpAbuseTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);
    private final Recorder recorder = new Recorder();

    @Test
    @BugClass(36)
    void aClientThatClosesItsSideIsAnswered() throws Exception {
        try (var server = Stereotypes.def().tcpAcceptor(LOCAL, conn -> {
            var length = conn.getInputStream().readAllBytes().length;
            Lines.write(conn, "got " + length);
        }, null); var client = new Client(server)) {
            assertThat(client.send("x".repeat(100_000)).half().rest()).isEqualTo("got 100000\n");
        }
    }

    @EveryStrategy
    @BugClass(36)
    void aResetInMidWriteEndsTheWorkerAndNothingElse(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, conn -> {
                    if (Lines.reader(conn).readLine().equals("much")) {
                        while (true) {
                            conn.getOutputStream().write(new byte[100_000]);
                        }
                    }
                    Lines.write(conn, "hello");
                }, null)) {
            try (var client = new Client(server)) {
                client.send("much\n");
                assertThat(client.socket.getInputStream().read()).isZero();
                client.reset();
                var failed = recorder.await(Failed.class);
                assertThat(failed.actor()).contains(client.address());
                assertThat(failed.cause()).isInstanceOf(IOException.class);
            }
            Waits.until("it has ended", () -> server.connections() == 0);
            try (var client = new Client(server)) {
                assertThat(client.ask("little")).isEqualTo("hello");
            }
        }
    }

    @Test
    void resetsAtOnceCostNothing() throws Exception {
        var sockets = OpenSockets.count();
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL.maxConnections(3), Lines::echo, null)) {
            for (int i = 0; i < 300; i++) {
                new Client(server).reset();
            }
            try (var client = new Client(server)) {
                assertThat(client.ask("hello")).isEqualTo("hello");
            }
            Waits.until("all have ended", () -> server.connections() == 0);
        }
        OpenSockets.areBack(sockets);
    }

    /** The article's loop does not look for the end of the stream. */
    @Test
    void aWorkerThatReadsOnAfterTheEndIsEnded() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, conn -> {
                    var in = conn.getInputStream();
                    while (in.read() != '\n') {
                    }
                }, null)) {
            try (var client = new Client(server)) {
                client.send("no line");
                assertThat(client.half().isCut()).isTrue();
                assertThat(recorder.await(Failed.class).cause()).hasMessageContaining(client.address())
                        .hasMessageContaining("has read on 1000 times after the end");
            }
        }
    }

    @Test
    @Promise("15.2")
    void aFloodAboveTheLimitWaitsAndIsServed() throws Exception {
        var limit = 4;
        var inside = new AtomicInteger();
        var most = new AtomicInteger();
        try (var server = Stereotypes.def().tcpAcceptor(LOCAL.maxConnections(limit).backlog(200), conn -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                Lines.echo(conn);
            } finally {
                inside.decrementAndGet();
            }
        }, null)) {
            var clients = new ArrayList<Client>();
            for (int i = 0; i < 100; i++) {
                clients.add(new Client(server).send("hello " + i + "\n"));
            }
            Waits.until("it is full", () -> server.connections() == limit);
            for (int i = 0; i < 100; i++) {
                assertThat(clients.get(i).line()).isEqualTo("hello " + i);
                assertThat(server.connections()).isLessThanOrEqualTo(limit);
                clients.get(i).close();
            }
            Waits.until("all have ended", () -> server.connections() == 0);
            assertThat(most).hasValue(limit);
        }
    }

    @Test
    @Promise("15.2")
    void whoWaitsForAPlaceGetsItAsSoonAsOneIsFree() throws Exception {
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL.maxConnections(1), Lines::echo, null);
                var first = new Client(server)) {
            assertThat(first.ask("first")).isEqualTo("first");
            try (var second = new Client(server)) {
                second.send("second\n");
                assertThat(first.ask("again")).isEqualTo("again");
                assertThat(server.connections()).isEqualTo(1);
                first.half();
                assertThat(second.line()).isEqualTo("second");
            }
        }
    }

    /** A server with no place left is stopped while its acceptor waits for one. */
    @Test
    void aFullServerStops() throws Exception {
        var server = Stereotypes.def().tcpAcceptorSilent(LOCAL.maxConnections(1), Lines::echo, null);
        try (var client = new Client(server)) {
            client.ask("hello");
            server.close();
            assertThat(client.isCut()).isTrue();
        }
    }

    @Test
    void garbageIsTheWorkersBusiness() throws Exception {
        var random = new Random(1);
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null)) {
            for (int i = 0; i < 50; i++) {
                var garbage = new byte[10_000];
                random.nextBytes(garbage);
                try (var client = new Client(server)) {
                    var sender = Thread.ofPlatform().start(() -> sendAndEnd(client.socket, garbage));
                    client.rest();
                    Waits.on(sender);
                }
            }
            try (var client = new Client(server)) {
                assertThat(client.ask("hello")).isEqualTo("hello");
            }
        }
    }

    private static void sendAndEnd(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** One per cent of them is written to by the program that bench runs with 10,000. */
    @Test
    void manyIdleConnectionsAreHeldWhileANewOneIsServed() throws Exception {
        var sockets = OpenSockets.count();
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null)) {
            var idle = new ArrayList<Client>();
            for (int i = 0; i < 1_000; i++) {
                idle.add(new Client(server));
            }
            Waits.until("all are open", () -> server.connections() == idle.size());
            try (var client = new Client(server)) {
                assertThat(client.ask("hello")).isEqualTo("hello");
            }
            for (var client : idle) {
                assertThat(client.ask("me too")).isEqualTo("me too");
            }
            for (var client : idle) {
                client.close();
            }
            Waits.until("all have ended", () -> server.connections() == 0);
        }
        OpenSockets.areBack(sockets);
    }

    /** On a pool a worker keeps its thread while it waits for its client; the acceptor needs none of them. */
    @Test
    void moreConnectionsThanThreadsWaitForAThread() throws Exception {
        var released = new CountDownLatch(1);
        var done = new CompletableFuture<String>();
        var pool = io.fibry.CreationStrategy.pool(1);
        try (var server = Stereotypes.on(pool).tcpAcceptorSilent(LOCAL, conn -> {
            Waits.on(released);
            Lines.echo(conn);
        }, null);
                var first = new Client(server);
                var second = new Client(server)) {
            Waits.until("both are accepted", () -> server.connections() == 2);
            released.countDown();
            first.ask("first");
            first.half();
            done.complete(second.ask("second"));
            assertThat(done).isCompletedWithValue("second");
        }
    }
}
