package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TcpDeadlineTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();

    private ActorScope scope() {
        return ActorSystem.configure("test").time(time).listener(recorder).open();
    }

    private Server echo(ActorScope scope, TcpOptions options) {
        return Stereotypes.with(scope.anonymous()).tcpAcceptor(options, Lines::echo, null);
    }

    private void failedBecause(Client client, String why) throws InterruptedException {
        var failed = recorder.await(Failed.class);
        assertThat(failed.actor()).contains(client.address());
        assertThat(failed.cause()).isInstanceOf(SocketException.class).hasMessageContaining(client.address())
                .hasMessageContaining(why);
    }

    @Test
    @Promise("15.1")
    void anIdleConnectionIsCut() throws Exception {
        try (var scope = scope();
                var server = echo(scope, LOCAL.idleTimeout(SECOND));
                var client = new Client(server)) {
            client.ask("hello");
            time.advance(SECOND);
            assertThat(client.isCut()).isTrue();
            failedBecause(client, "nothing moved for PT1S, its idleTimeout");
        }
    }

    /** A connection is not idle for as long as the server has waited for it. */
    @Test
    @Promise("15.1")
    void aConnectionIsIdleFromItsBeginningOn() throws Exception {
        try (var scope = scope(); var server = echo(scope, LOCAL.idleTimeout(SECOND))) {
            for (int i = 0; i < 3; i++) {
                time.advance(SECOND.multipliedBy(100));
                try (var client = new Client(server)) {
                    assertThat(client.ask("hello")).isEqualTo("hello");
                }
                Waits.until("it has ended", () -> server.connections() == 0 && time.pending() == 0);
            }
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("15.1")
    void aByteNowAndThenKeepsAConnectionFromBeingIdleButNotFromItsTotalDeadline() throws Exception {
        try (var scope = scope();
                var server = echo(scope, LOCAL.idleTimeout(SECOND).totalTimeout(SECOND.multipliedBy(10)));
                var client = new Client(server)) {
            client.ask("hello");
            for (int i = 0; i < 18; i++) {
                time.advance(SECOND.dividedBy(2));
                client.ask("x"); // each time something moves, and the answer says that it was read
            }
            assertThat(recorder.of(Failed.class)).isEmpty();
            time.advance(SECOND);
            assertThat(client.isCut()).isTrue();
            failedBecause(client, "it was open for PT10S, its totalTimeout");
        }
    }

    @Test
    void aDeadlineThatIsNotReachedLeavesNoTimer() throws Exception {
        try (var scope = scope();
                var server = echo(scope, LOCAL.idleTimeout(SECOND).totalTimeout(SECOND))) {
            try (var client = new Client(server)) {
                client.ask("hello");
                assertThat(time.pending()).isEqualTo(1);
            }
            Waits.until("it has ended", () -> server.connections() == 0);
            assertThat(time.pending()).isZero();
        }
    }

    /** With the system's clock, on every strategy, a client that drips and never ends its request. */
    @EveryStrategy
    @Promise("15.1")
    void aClientThatDripsIsCutAtTheTotalDeadline(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(
                        LOCAL.totalTimeout(Duration.ofMillis(200)), conn -> Lines.reader(conn).readLine(),
                        null);
                var client = new Client(server)) {
            Waits.until("it is cut", () -> isCutAfter(client, "x"));
            failedBecause(client, "its totalTimeout");
            Waits.until("it has ended", () -> server.connections() == 0);
        }
    }

    private static boolean isCutAfter(Client client, String drip) {
        try {
            client.send(drip);
            return false;
        } catch (java.io.IOException cut) {
            return true;
        }
    }

    /** A worker that cannot write, because nobody reads, is idle as well. */
    @EveryStrategy
    @Promise("15.1")
    void aClientThatDoesNotReadIsCut(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(
                        LOCAL.idleTimeout(Duration.ofMillis(200)), conn -> {
                            var out = conn.getOutputStream();
                            while (true) {
                                out.write(new byte[100_000]);
                            }
                        }, null);
                var client = new Client(server)) {
            failedBecause(client, "its idleTimeout");
            Waits.until("it has ended", () -> server.connections() == 0);
            assertThat(client.isCut()).isTrue();
        }
    }

    @Test
    void theActorBesideTheWorkerEndsWithIt() throws Exception {
        try (var scope = scope()) {
            var actor = new java.util.concurrent.CompletableFuture<io.fibry.Actor<String, Void>>();
            try (var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL.idleTimeout(SECOND),
                    (Connection<String> connection) -> {
                        actor.complete(connection.actor());
                        connection.socket().getInputStream().read();
                    }, (connection, message) -> {
                    }, null);
                    var client = new Client(server)) {
                Waits.on(actor);
                time.advance(SECOND);
                assertThat(client.isCut()).isTrue();
                assertThat(actor.join().waitForExit(Patience.LIMIT)).isTrue();
                assertThat(actor.join().state()).isEqualTo(ActorState.STOPPED);
                failedBecause(client, "its idleTimeout");
            }
        }
    }

    /** One write of much, which takes longer in all than the connection may be idle. */
    @Test
    @Promise("15.1")
    void aClientThatReadsSlowlyButSteadilyIsNotIdle() throws Exception {
        var megabyte = 1 << 20;
        try (var scope = scope();
                var server =
                        Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL.idleTimeout(SECOND), conn -> {
                            conn.setSendBufferSize(1 << 14);
                            conn.getOutputStream().write(new byte[16 * megabyte]);
                        }, null);
                var socket = new Socket()) {
            socket.setReceiveBufferSize(1 << 14);
            socket.connect(server.address());
            socket.setSoTimeout(Patience.MILLIS);
            for (int i = 0; i < 16; i++) {
                assertThat(socket.getInputStream().readNBytes(megabyte)).hasSize(megabyte);
                if (i < 15) {
                    time.advance(SECOND.multipliedBy(6).dividedBy(10));
                }
            }
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }
}
