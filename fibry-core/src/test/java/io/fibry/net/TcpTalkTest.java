package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Connections that take messages while they are read. */
class TcpTalkTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);
    private final Recorder recorder = new Recorder();
    private final Set<Actor<String, Void>> room = ConcurrentHashMap.newKeySet();

    private void enter(Connection<String> connection) throws IOException {
        room.add(connection.actor());
        try {
            var in = Lines.reader(connection.socket());
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                var said = line;
                room.forEach(each -> each.sendMessage(said));
            }
        } finally {
            room.remove(connection.actor());
        }
    }

    private static void write(Connection<String> connection, String line) throws IOException {
        Lines.write(connection.socket(), line);
    }

    private Server chat(ActorScope scope) {
        return Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, this::enter, TcpTalkTest::write, null);
    }

    private ActorScope scope() {
        return ActorSystem.configure("test").listener(recorder).open();
    }

    private Actor<String, Void> theOnlyActor() {
        Waits.until("somebody is in the room", () -> room.size() == 1);
        return room.iterator().next();
    }

    @EveryStrategy
    @Promise("15.7")
    void aChatReachesEverybodyWhileTheyListen(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).open();
                var server = chat(scope)) {
            var clients = new ArrayList<Client>();
            for (int i = 0; i < 5; i++) { // more than a pool has threads
                clients.add(new Client(server));
            }
            Waits.until("all are in the room", () -> room.size() == 5);
            clients.getFirst().send("hello\n");
            for (var client : clients) {
                assertThat(client.line()).isEqualTo("hello");
            }
            for (var client : clients) {
                client.close();
            }
            Waits.until("all are gone", () -> server.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    /** The actor ends with its worker: that is not why the worker has failed. */
    @EveryStrategy
    @Promise("15.2")
    void whatAWorkerThrowsIsReportedAndItsActorEnds(Strategy strategy) throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL,
                        (Connection<String> connection) -> {
                            room.add(connection.actor());
                            connection.socket().getInputStream().read();
                            throw new IOException("as it must");
                        }, TcpTalkTest::write, null);
                var client = new Client(server)) {
            assertThat(client.send("x").isCut()).isTrue();
            assertThat(recorder.await(Failed.class).cause()).hasMessage("as it must");
            assertThat(theOnlyActor().waitForExit(Patience.LIMIT)).isTrue();
        }
        recorder.only(Failed.class);
    }

    @Test
    void theActorHasThePeersAddressInItsName() throws Exception {
        try (var scope = scope(); var server = chat(scope); var client = new Client(server)) {
            assertThat(theOnlyActor().name())
                    .isEqualTo("tcp-" + server.port() + "/" + client.address() + "#1");
        }
    }

    @Test
    @Promise("15.7")
    void messagesAreHandledOneAtATimeInOrder() throws Exception {
        var inside = new AtomicInteger();
        var together = new AtomicInteger();
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, this::enter,
                        (Connection<String> connection, String line) -> {
                            together.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            write(connection, line);
                            inside.decrementAndGet();
                        }, null);
                var client = new Client(server)) {
            var actor = theOnlyActor();
            for (int i = 0; i < 1_000; i++) {
                actor.sendMessage("" + i);
            }
            for (int i = 0; i < 1_000; i++) {
                assertThat(client.line()).isEqualTo("" + i);
            }
            assertThat(together).hasValue(1);
        }
    }

    @Test
    @Promise("15.7")
    void whatIsQueuedIsWrittenWhenTheWorkerHasReturned() throws Exception {
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL,
                        (Connection<String> connection) -> {
                            for (int i = 0; i < 100; i++) {
                                connection.actor().sendMessage("" + i);
                            }
                        }, TcpTalkTest::write, null);
                var client = new Client(server)) {
            assertThat(client.rest().lines()).hasSize(100).endsWith("99");
        }
    }

    @Test
    @Promise("15.7")
    void theActorsStopClosesTheConnection() throws Exception {
        try (var scope = scope(); var server = chat(scope); var client = new Client(server)) {
            theOnlyActor().close();
            assertThat(client.isCut()).isTrue();
            Waits.until("it has ended", () -> server.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("15.7")
    void theConnectionsEndStopsTheActorAndWhatComesLaterIsUndelivered() throws Exception {
        try (var scope = scope(); var server = chat(scope)) {
            var client = new Client(server);
            var actor = theOnlyActor();
            client.close();
            assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
            assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
            assertThat(actor.sendMessage("late")).isFalse();
            assertThat(recorder.await(Undelivered.class).actor()).isEqualTo(actor.name());
        }
    }

    @Test
    void aWriteThatFailsEndsTheConnectionAndIsReportedOnce() throws Exception {
        var reset = new CountDownLatch(1);
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL,
                        this::enter, (Connection<String> connection, String line) -> {
                            Waits.on(reset);
                            throw new IOException("Broken pipe");
                        }, null);
                var client = new Client(server)) {
            var actor = theOnlyActor();
            actor.sendMessage("a");
            actor.sendMessage("b");
            reset.countDown();
            assertThat(client.isCut()).isTrue();
            assertThat(actor.waitForExit(Patience.LIMIT)).isTrue();
            Waits.until("it has ended", () -> server.connections() == 0);
            assertThat(recorder.only(Failed.class).actor()).contains(client.address());
            assertThat(actor.counters().undelivered()).isEqualTo(1);
        }
    }

    @Test
    void aSilentServerKeepsAFailedWriteToItself() throws Exception {
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(LOCAL,
                        this::enter, (Connection<String> connection, String line) -> {
                            throw new IOException("Broken pipe");
                        }, null);
                var client = new Client(server)) {
            theOnlyActor().sendMessage("a");
            assertThat(client.isCut()).isTrue();
            Waits.until("it has ended", () -> server.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    void aBugInTheHandlerIsAFailureAndTheConnectionGoesOn() throws Exception {
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL,
                        this::enter, (Connection<String> connection, String line) -> {
                            if (line.equals("bug")) {
                                throw new IllegalStateException(line);
                            }
                            write(connection, line);
                        }, null);
                var client = new Client(server)) {
            client.send("bug\n");
            assertThat(client.ask("hello")).isEqualTo("hello");
            assertThat(recorder.only(Failed.class).cause()).hasMessage("bug");
        }
    }

    @Test
    void closingTheConnectionEndsBoth() throws Exception {
        var opened = new CompletableFuture<Connection<String>>();
        try (var scope = scope();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL,
                        (Connection<String> connection) -> {
                            opened.complete(connection);
                            connection.socket().getInputStream().read();
                        }, TcpTalkTest::write, null);
                var client = new Client(server)) {
            var connection = Waits.on(opened);
            assertThat(connection.peer().getPort()).isEqualTo(client.socket.getLocalPort());
            connection.close();
            assertThat(client.isCut()).isTrue();
            assertThat(connection.actor().waitForExit(Patience.LIMIT)).isTrue();
            Waits.until("it has ended", () -> server.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    void aHandlerMayStopTheServer() throws Exception {
        var server = new CompletableFuture<Server>();
        try (var scope = scope()) {
            server.complete(Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, this::enter,
                    (Connection<String> connection, String line) -> {
                        server.join().stop(Duration.ofSeconds(30));
                        write(connection, "stopping");
                    }, null));
            try (var client = new Client(server.join())) {
                assertThat(client.ask("stop")).isEqualTo("stopping");
                client.half();
                assertThat(client.isCut()).isTrue();
            }
            assertThat(server.join().waitForExit(Patience.LIMIT)).isTrue();
        }
    }
}
