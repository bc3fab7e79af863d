package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Repetition;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Users of a relay get to a service by way of its agent. */
class RelayTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final RelaySecret SECRET = RelaySecret.of("for these tests alone");
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Patience.LIMIT;
    private final Recorder recorder = new Recorder();
    private long sockets;

    @BeforeEach
    void countSockets() {
        sockets = OpenSockets.count();
    }

    @AfterEach
    void allSocketsAreClosed() {
        OpenSockets.areBack(sockets);
    }

    private ActorScope scope() {
        return ActorSystem.configure("test").listener(recorder).open();
    }

    private static RelayOptions options() {
        return RelayOptions.of(LOCAL, FREE, SECRET);
    }

    private static TcpRelay relay(ActorScope scope) {
        return Stereotypes.with(scope.anonymous()).tcpRelay(options());
    }

    private static RelayAgentOptions options(TcpRelay relay, Server target) {
        return RelayAgentOptions.of(InetSocketAddress.createUnresolved("localhost", relay.agentPort()),
                InetSocketAddress.createUnresolved("localhost", target.port()), SECRET).pauses(SHORT, SHORT);
    }

    private static TcpRelayAgent agent(ActorScope scope, TcpRelay relay, Server target) {
        var agent = Stereotypes.with(scope.anonymous()).tcpRelayAgent(options(relay, target));
        Waits.until("the agent is there", () -> relay.hasAgent() && agent.isConnected());
        return agent;
    }

    private static Server echo() {
        return Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null);
    }

    @EveryStrategy
    @Promise("18.1")
    void bytesGoThereAndBack(Strategy strategy) throws Exception {
        try (var target = echo();
                var scope =
                        ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).open();
                var relay = relay(scope);
                var agent = agent(scope, relay, target);
                var other = new Client(relay);
                var third = new Client(relay)) {
            assertThat(other.ask("other")).isEqualTo("other");
            assertThat(third.ask("third")).isEqualTo("third");
            for (int i = 0; i < 5; i++) {
                try (var client = new Client(relay)) {
                    assertThat(client.ask("hello " + i)).isEqualTo("hello " + i);
                    assertThat(client.send("last").half().rest()).isEqualTo("last\n");
                }
            }
            assertThat(agent.connections()).isGreaterThanOrEqualTo(2);
            assertThat(relay.connections()).isGreaterThanOrEqualTo(2);
            assertThat(other.half().rest()).isEmpty();
            assertThat(third.half().rest()).isEmpty();
            Waits.until("all have ended", () -> relay.connections() == 0 && agent.connections() == 0
                    && target.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("18.1")
    void muchGoesThereAndBackAtTheSameTimeAndAServiceThatEndsEndsItsUser() throws Exception {
        try (var target = echo();
                var scope = scope();
                var relay = relay(scope);
                var agent = agent(scope, relay, target)) {
            var clients = new ArrayList<Client>();
            for (int i = 0; i < 20; i++) {
                clients.add(new Client(relay).send(("line of " + i + "\n").repeat(2_000)).half());
            }
            for (int i = 0; i < 20; i++) {
                assertThat(clients.get(i).rest()).isEqualTo(("line of " + i + "\n").repeat(2_000));
                clients.get(i).close();
            }
            Waits.until("all have ended", () -> agent.connections() == 0);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("18.2")
    void aResetOfEitherEndReachesTheOther() throws Exception {
        try (var target = Stereotypes.def().tcpAcceptorSilent(LOCAL, conn -> {
            if (Lines.reader(conn).readLine().equals("reset")) {
                conn.setSoLinger(true, 0);
                return;
            }
            conn.getInputStream().read();
        }, null);
                var scope = scope();
                var relay = relay(scope);
                var agent = agent(scope, relay, target)) {
            try (var client = new Client(relay)) {
                assertThat(client.send("reset\n").isCut()).isTrue();
            }
            var client = new Client(relay).send("wait\n");
            Waits.until("the target is there", () -> target.connections() == 1);
            client.reset();
            Waits.until("all have ended", () -> relay.connections() == 0 && agent.connections() == 0
                    && target.connections() == 0);
        }
    }

    @Test
    @Promise("18.2")
    void aServiceThatIsNotThereIsNamedAndItsUserRefusedAtOnce() throws Exception {
        var gone = echo();
        gone.close();
        try (var scope = scope();
                var relay = relay(scope);
                var agent = agent(scope, relay, gone);
                var client = new Client(relay)) {
            assertThat(client.isCut()).isTrue();
            var failed = recorder.await(Failed.class, 2);
            assertThat(failed).anySatisfy(one -> {
                assertThat(one.actor()).startsWith("relay-agent/user#1");
                assertThat(one.cause()).hasMessageContaining("cannot forward to localhost")
                        .hasMessageContaining(":" + gone.port());
            }).anySatisfy(one -> {
                assertThat(one.actor()).contains(client.address());
                assertThat(one.cause()).hasMessageContaining("the agent cannot serve another user now");
            });
            Waits.until("it has ended", () -> relay.connections() == 0 && agent.connections() == 0);
        }
    }

    @Test
    @Promise("18.5")
    void withoutAnAgentUsersAreRefused() throws Exception {
        try (var scope = scope(); var relay = relay(scope); var client = new Client(relay)) {
            assertThat(client.isCut()).isTrue();
            var failed = recorder.await(Failed.class);
            assertThat(failed.actor()).contains(client.address());
            assertThat(failed.cause()).hasMessage("no agent is connected to the relay");
            assertThat(relay.toString()).contains("no agent", ":" + relay.agentPort());
        }
    }

    @Test
    @Promise("18.5")
    void anAgentServesNoMoreUsersThanItMay() throws Exception {
        try (var target = echo();
                var scope = scope();
                var relay = relay(scope);
                var agent = Stereotypes.with(scope.anonymous())
                        .tcpRelayAgent(options(relay, target).maxConnections(1))) {
            Waits.until("the agent is there", relay::hasAgent);
            try (var first = new Client(relay)) {
                assertThat(first.ask("first")).isEqualTo("first");
                try (var second = new Client(relay)) {
                    assertThat(second.isCut()).isTrue();
                }
                assertThat(first.ask("still there")).isEqualTo("still there");
            }
            Waits.until("there is a place", () -> agent.connections() == 0);
            try (var third = new Client(relay)) {
                assertThat(third.ask("third")).isEqualTo("third");
            }
        }
    }

    @Test
    @Promise("18.3")
    void whoDoesNotKnowTheSecretIsRefusedAndNamed() throws Exception {
        try (var target = echo(); var scope = scope(); var relay = relay(scope)) {
            var wrong = RelayAgentOptions.of(relay.agentAddress(), target.address(),
                    RelaySecret.of("not the one of the relay")).pauses(LONG, LONG);
            try (var agent = Stereotypes.with(scope.anonymous()).tcpRelayAgent(wrong)) {
                assertThat(recorder.await(Failed.class).cause()).hasMessageContaining("127.0.0.1:")
                        .hasMessageContaining("does not know the secret");
                assertThat(relay.hasAgent()).isFalse();
                assertThat(agent.isConnected()).isFalse();
            }
        }
    }

    @Test
    @Promise("18.4")
    void garbageOnTheAgentsPortIsRefusedAndAgentsStillServed() throws Exception {
        var random = new Random(1);
        try (var target = echo(); var scope = scope(); var relay = relay(scope)) {
            for (int i = 0; i < 20; i++) {
                var garbage = new byte[129 + random.nextInt(10_000)];
                random.nextBytes(garbage);
                try (var stranger = new Client(relay.agentPort())) {
                    try {
                        stranger.socket.getOutputStream().write(garbage);
                    } catch (IOException cut) {
                        // in the middle of it
                    }
                    assertThat(stranger.isCut()).isTrue();
                }
            }
            assertThat(recorder.await(Failed.class, 20)).hasSize(20).allSatisfy(failed -> assertThat(
                    failed.cause()).hasMessageContaining("does not know the secret"));
            try (var agent = agent(scope, relay, target); var client = new Client(relay)) {
                assertThat(client.ask("hello")).isEqualTo("hello");
                assertThat(agent.toString()).contains("1 connections");
            }
        }
    }

    @Test
    @Promise("18.3")
    void relayAndAgentMaySpeakTls() throws Exception {
        var tls = LocalTls.context();
        try (var target = echo();
                var scope = scope();
                var relay = Stereotypes.with(scope.anonymous()).tcpRelay(options().tls(tls));
                var agent = Stereotypes.with(scope.anonymous())
                        .tcpRelayAgent(options(relay, target).tls(tls))) {
            Waits.until("the agent is there", relay::hasAgent);
            try (var client = new Client(relay)) {
                assertThat(client.ask("hello")).isEqualTo("hello");
                assertThat(client.send("last").half().rest()).isEqualTo("last\n");
            }
            Waits.until("all have ended", () -> relay.connections() == 0 && agent.connections() == 0);
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @Test
    @Promise("18.3")
    void aCertificateForAnotherNameIsNotTrusted() throws Exception {
        var tls = LocalTls.context();
        try (var target = echo();
                var scope = scope();
                var relay = Stereotypes.with(scope.anonymous())
                        .tcpRelay(RelayOptions.of(LOCAL, new InetSocketAddress(0), SECRET).tls(tls));
                var agent = Stereotypes.with(scope.anonymous()).tcpRelayAgent(RelayAgentOptions
                        .of(InetSocketAddress.createUnresolved("127.0.0.2", relay.agentPort()),
                                target.address(), SECRET)
                        .pauses(SHORT, SHORT).tls(tls))) {
            recorder.await(Failed.class); // the relay hears that its certificate was refused, or that nobody is there
            assertThat(agent.isConnected()).isFalse();
            assertThat(relay.hasAgent()).isFalse();
        }
    }

    @Test
    @Promise("18.8")
    void aGracefulStopOfTheRelayLetsUsersFinish() throws Exception {
        try (var target = echo(); var scope = scope()) {
            var relay = relay(scope);
            var agent = agent(scope, relay, target);
            try (var client = new Client(relay)) {
                client.ask("hello");
                var report = CompletableFuture.supplyAsync(() -> relay.stop(LONG));
                Waits.until("nobody listens", () -> Client.isRefused(relay.port()));
                assertThat(client.ask("still there")).isEqualTo("still there");
                assertThat(report).isNotDone();
                assertThat(client.half().rest()).isEmpty();
                assertThat(Waits.on(report)).matches(StopReport::stopped).matches(r -> !r.forced());
            }
            relay.waitForExit();
            agent.close();
            agent.waitForExit();
        }
    }

    @Test
    @Promise("18.8")
    void aGracefulStopOfTheAgentLetsUsersFinishAndRefusesOthers() throws Exception {
        try (var target = echo(); var scope = scope(); var relay = relay(scope)) {
            var agent = agent(scope, relay, target);
            try (var client = new Client(relay)) {
                client.ask("hello");
                var report = CompletableFuture.supplyAsync(() -> agent.stop(LONG));
                Waits.until("it has left", () -> !relay.hasAgent());
                try (var late = new Client(relay)) {
                    assertThat(late.isCut()).isTrue();
                }
                assertThat(client.ask("still there")).isEqualTo("still there");
                assertThat(report).isNotDone();
                assertThat(client.half().rest()).isEmpty();
                assertThat(Waits.on(report)).matches(StopReport::stopped).matches(r -> !r.forced());
            }
            assertThat(agent.waitForExit(Duration.ZERO)).isTrue();
        }
    }

    @Test
    @Promise("18.8")
    void aStopByForceOfEitherSideEndsAll() throws Exception {
        for (var relayFirst : new boolean[]{true, false}) {
            try (var target = echo(); var scope = scope()) {
                var relay = relay(scope);
                var agent = agent(scope, relay, target);
                try (var client = new Client(relay)) {
                    client.ask("hello");
                    if (relayFirst) {
                        relay.close();
                    } else {
                        agent.close();
                    }
                    assertThat(client.isCut()).isTrue();
                    Waits.until("the target is free", () -> target.connections() == 0);
                }
                agent.close();
                relay.close();
            }
        }
    }

    @Test
    @Promise("18.8")
    void theEndOfTheScopeStopsBothBeforeTheirHooksRun() throws Exception {
        var atHook = new AtomicInteger(-1);
        var known = new CompletableFuture<TcpRelay>();
        try (var target = echo(); var client = connectedInAScope(target, known, atHook)) {
            assertThat(atHook).hasValue(0);
            assertThat(client.isCut()).isTrue();
        }
    }

    private Client connectedInAScope(Server target, CompletableFuture<TcpRelay> known, AtomicInteger atHook)
            throws Exception {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("test").closeTimeout(Duration.ofMillis(5)).time(time).open()) {
            known.complete(Stereotypes
                    .with(scope.anonymous().onExit(() -> atHook.set(known.join().connections())))
                    .tcpRelay(options()));
            agent(scope, known.join(), target);
            var client = new Client(known.join());
            client.ask("hello");
            Forced.stop(time, scope::stop);
            return client;
        }
    }

    @Test
    @Promise("18.8")
    void aRelayUnderLoadStops() throws Exception {
        var time = new ManualTime();
        try (var target = echo();
                var scope = ActorSystem.configure("test").listener(recorder).time(time).open()) {
            var relay = relay(scope);
            var agent = agent(scope, relay, target);
            var asked = new AtomicInteger();
            try (var clients = new Repetition()) {
                for (int i = 0; i < 4; i++) {
                    clients.start(() -> {
                        try (var client = new Client(relay)) {
                            client.ask("hello");
                            asked.incrementAndGet();
                        } catch (IOException cut) {
                            // that is what a stop does
                        }
                    });
                }
                Waits.until("there is load", () -> asked.get() > 50);
                assertThat(Forced.stop(time, relay::stop).stopped()).isTrue();
                clients.end();
            }
            assertThat(agent.stop(LONG).stopped()).isTrue();
            assertThat(relay.connections() + agent.connections()).isZero();
        }
    }

    @Test
    void aPortThatIsTakenLeavesNoRelay() throws Exception {
        try (var taken = echo(); var scope = scope()) {
            var before = OpenSockets.count();
            assertThatThrownBy(() -> Stereotypes.with(scope.anonymous())
                    .tcpRelay(RelayOptions.of(TcpOptions.localPort(taken.port()), FREE, SECRET)))
                    .isInstanceOf(UncheckedIOException.class).hasMessageContaining("cannot listen on");
            assertThatThrownBy(() -> Stereotypes.with(scope.anonymous())
                    .tcpRelay(RelayOptions.of(LOCAL, taken.address(), SECRET)))
                    .isInstanceOf(UncheckedIOException.class).hasMessageContaining("cannot listen on");
            OpenSockets.areBack(before); // while the scope is open
        }
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> RelaySecret.of("too short")).hasMessageContaining("9 bytes");
        assertThat(SECRET.toString()).doesNotContain("tests");
        assertThatThrownBy(() -> options().heartbeat(Duration.ZERO)).hasMessageContaining("heartbeat");
        assertThatThrownBy(() -> options().heartbeat(Duration.ofDays(2))).hasMessageContaining("heartbeat");
        assertThatThrownBy(() -> options().answerTimeout(Duration.ZERO))
                .hasMessageContaining("answerTimeout");
        var agent = RelayAgentOptions.of(FREE, FREE, SECRET);
        assertThatThrownBy(() -> agent.maxConnections(0)).hasMessageContaining("maxConnections");
        assertThatThrownBy(() -> agent.connectTimeout(Duration.ZERO)).hasMessageContaining("connectTimeout");
        assertThatThrownBy(() -> agent.connectTimeout(Duration.ofDays(100)))
                .hasMessageContaining("connectTimeout");
        assertThatThrownBy(() -> agent.pauses(LONG, SHORT)).hasMessageContaining("longestPause");
        assertThatThrownBy(() -> agent.pauses(Duration.ZERO, SHORT)).hasMessageContaining("firstPause");
        assertThatThrownBy(() -> RelayOptions.of(LOCAL, InetSocketAddress.createUnresolved("x", 1), SECRET))
                .hasMessageContaining("unknown");
    }
}
