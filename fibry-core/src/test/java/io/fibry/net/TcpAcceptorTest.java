package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Started;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.OpenSockets;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TcpAcceptorTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);
    private final Recorder recorder = new Recorder();

    private ActorScope scope() {
        return ActorSystem.configure("test").listener(recorder).open();
    }

    @EveryStrategy
    @Promise("15.1")
    void aWorkerServesItsConnection(Strategy strategy) throws Exception {
        var sockets = OpenSockets.count();
        try (var server = Stereotypes.on(strategy.create()).tcpAcceptor(LOCAL, Lines::echo, null)) {
            for (int i = 0; i < 5; i++) {
                try (var client = new Client(server)) {
                    assertThat(client.ask("hello " + i)).isEqualTo("hello " + i);
                    assertThat(client.half().rest()).isEmpty();
                }
            }
        }
        OpenSockets.areBack(sockets);
    }

    @Test
    void connectionsAreServedAtTheSameTime() throws Exception {
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null)) {
            var clients = new ArrayList<Client>();
            for (int i = 0; i < 50; i++) {
                clients.add(new Client(server));
            }
            for (var client : clients.reversed()) {
                assertThat(client.ask("me")).isEqualTo("me");
            }
            assertThat(server.connections()).isEqualTo(50);
            for (var client : clients) {
                client.close();
            }
            Waits.until("no connection is open", () -> server.connections() == 0);
        }
    }

    @Test
    void acceptingTakesNoPlaceFromTheConnections() throws Exception {
        try (var small = ActorSystem.configure("small").limits(ScopeLimits.none().running(1)).open()) {
            var server = Stereotypes.with(small.anonymous()).tcpAcceptorSilent(LOCAL, Lines::echo, null);
            var first = new Client(server);
            assertThat(first.ask("first")).isEqualTo("first");
            try (var second = new Client(server)) {
                first.close(); // only one is served at a time
                assertThat(second.ask("second")).isEqualTo("second");
            }
            assertThat(server.stop(Patience.LIMIT).forced()).isFalse();
        }
    }

    @Test
    void thePortIsKnownToTheHandleAndTheCallback() throws Exception {
        var told = new AtomicInteger();
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, told::set)) {
            assertThat(server.port()).isPositive().isEqualTo(told.get());
            assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
            assertThat(server.toString()).contains("tcp-" + server.port(), "0 connections");
        }
    }

    @Test
    void aPlainPortListensOnAllAddresses() throws Exception {
        try (var server = Stereotypes.def().tcpAcceptorSilent(0, Lines::echo, null);
                var client = new Client(server)) {
            assertThat(server.address().getAddress().isAnyLocalAddress()).isTrue();
            assertThat(client.ask("hello")).isEqualTo("hello");
        }
    }

    @Test
    void whoeverCannotListenSaysWhereAndWhatToDo() throws Exception {
        try (var server = Stereotypes.def().tcpAcceptor(LOCAL, Lines::echo, null)) {
            var sockets = OpenSockets.count();
            assertThatThrownBy(() -> Stereotypes.def().tcpAcceptor(TcpOptions.localPort(server.port()),
                    Lines::echo, null)).isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(BindException.class)
                    .hasMessageContaining("cannot listen on").hasMessageContaining(":" + server.port())
                    .hasMessageContaining("or 0 for any free one");
            OpenSockets.areBack(sockets);
        }
    }

    @Test
    void aCallbackThatThrowsLeavesNoServer() {
        var sockets = OpenSockets.count();
        assertThatThrownBy(() -> Stereotypes.def().tcpAcceptor(LOCAL, Lines::echo, port -> {
            throw new IllegalStateException("no " + port);
        })).isInstanceOf(IllegalStateException.class);
        OpenSockets.areBack(sockets);
    }

    @Test
    void aNameThatIsTakenLeavesNoServer() {
        try (var scope = scope()) {
            scope.named("web").newActor((String message) -> {
            });
            var sockets = OpenSockets.count();
            assertThatThrownBy(
                    () -> Stereotypes.with(scope.named("web")).tcpAcceptor(LOCAL, Lines::echo, null))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'web'");
            OpenSockets.areBack(sockets);
        }
    }

    @Test
    @Promise("15.1")
    void aConnectionsActorHasThePeersAddressInItsName() throws Exception {
        try (var scope = scope();
                var server = Stereotypes.with(scope.named("web")).tcpAcceptor(LOCAL, Lines::echo, null);
                var client = new Client(server)) {
            client.ask("hello");
            assertThat(recorder.of(Started.class)).extracting(Started::actor)
                    .contains("web-tcp-" + server.port() + "/" + client.address() + "#1");
        }
    }

    @Test
    @Promise("15.2")
    void whatAWorkerThrowsReachesTheListenersWithThePeersName() throws Exception {
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, conn -> {
                    throw new TimeoutException("checked");
                }, null);
                var client = new Client(server)) {
            assertThat(client.rest()).isEmpty();
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).contains(client.address());
            assertThat(failed.cause()).isInstanceOf(TimeoutException.class).hasMessage("checked");
        }
    }

    @Test
    @Promise("15.2")
    void aResetIsAFailureUnlessTheServerIsSilent() throws Exception {
        try (var scope = scope();
                var loud = Stereotypes.with(scope.named("loud")).tcpAcceptor(LOCAL, Lines::echo, null);
                var silent = Stereotypes.with(scope.named("silent"))
                        .tcpAcceptorSilent(LOCAL, Lines::echo, null)) {
            for (var server : List.of(silent, loud)) {
                try (var client = new Client(server)) {
                    client.ask("hello");
                    client.reset();
                }
                Waits.until("the connection has ended", () -> server.connections() == 0);
            }
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).startsWith("loud");
            assertThat(failed.cause()).isInstanceOf(IOException.class);
        }
        recorder.only(Failed.class);
    }

    @Test
    @Promise("15.2")
    void aBugInASilentWorkerIsStillAFailure() throws Exception {
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(LOCAL, conn -> {
                    throw new IllegalStateException("bug");
                }, null);
                var client = new Client(server)) {
            assertThat(client.rest()).isEmpty();
            assertThat(recorder.await(Failed.class).cause()).hasMessage("bug");
        }
    }

    @Test
    void smallPiecesAreSentAtOnceByDefault() throws Exception {
        for (var noDelay : List.of(true, false)) {
            var seen = new CompletableFuture<Boolean>();
            var options = noDelay ? LOCAL : LOCAL.noDelay(false);
            try (var server = Stereotypes.def().tcpAcceptor(options,
                    conn -> seen.complete(conn.getTcpNoDelay()), null);
                    var client = new Client(server)) {
                assertThat(Waits.on(seen)).isEqualTo(noDelay);
                assertThat(client.rest()).isEmpty();
            }
        }
    }

    @Test
    @Promise("15.1")
    void theConnectionIsClosedWhenTheWorkerReturns() throws Exception {
        var socket = new CompletableFuture<Socket>();
        try (var server = Stereotypes.def().tcpAcceptor(LOCAL, socket::complete, null);
                var client = new Client(server)) {
            assertThat(client.rest()).isEmpty();
            Waits.until("it is closed", () -> socket.join().isClosed() && server.connections() == 0);
        }
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> LOCAL.backlog(0)).hasMessageContaining("backlog").hasMessageContaining("0");
        assertThatThrownBy(() -> LOCAL.maxConnections(-1)).hasMessageContaining("maxConnections");
        assertThatThrownBy(() -> LOCAL.idleTimeout(Duration.ZERO)).hasMessageContaining("idleTimeout");
        assertThatThrownBy(() -> LOCAL.totalTimeout(Duration.ofSeconds(-1)))
                .hasMessageContaining("totalTimeout");
        assertThatThrownBy(() -> TcpOptions.port(70_000)).hasMessageContaining("70000");
        assertThatThrownBy(() -> Stereotypes.def().tcpAcceptor(LOCAL, null, null))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("worker");
        assertThatThrownBy(() -> Stereotypes.def().tcpAcceptor(null, Lines::echo, null))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("options");
    }
}
