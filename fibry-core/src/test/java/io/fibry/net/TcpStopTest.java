package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorInterruptedException;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.OpenSockets;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Repetition;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TcpStopTest {
    private static final TcpOptions LOCAL = TcpOptions.localPort(0);
    private static final Duration LONG = Patience.LIMIT;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Duration SHORT = Duration.ofMillis(5);
    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();

    @EveryStrategy
    @Promise("15.6")
    void aGracefulStopLetsTheRunningFinish(Strategy strategy) throws Exception {
        var server = Stereotypes.on(strategy.create()).tcpAcceptor(LOCAL, Lines::echo, null);
        try (var client = new Client(server)) {
            client.ask("hello");
            var report = CompletableFuture.supplyAsync(() -> server.stop(LONG));
            Waits.until("nobody listens", () -> Client.isRefused(server.port()));
            assertThat(client.ask("still there")).isEqualTo("still there");
            assertThat(report).isNotDone();
            assertThat(client.half().rest()).isEmpty();
            assertThat(Waits.on(report)).matches(StopReport::stopped).matches(r -> !r.forced());
        }
        server.waitForExit();
        assertThat(server.connections()).isZero();
    }

    @EveryStrategy
    @Promise("15.6")
    void afterTheDeadlineWhatIsLeftIsClosed(Strategy strategy) throws Exception {
        try (var scope =
                ActorSystem.configure("test").strategy(strategy.create()).listener(recorder).time(time)
                        .open()) {
            var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, Lines::echo, null);
            try (var client = new Client(server)) {
                client.ask("hello");
                var report = Forced.stop(time, server::stop);
                assertThat(report.stopped()).isTrue();
                assertThat(report.forced()).isTrue();
                assertThat(client.isCut()).isTrue();
            }
        }
        assertThat(recorder.of(Failed.class)).isEmpty(); // who was cut did nothing wrong
    }

    @EveryStrategy
    @Promise("15.6")
    void closeClosesAllAtOnce(Strategy strategy) throws Exception {
        var sockets = OpenSockets.count();
        var server = Stereotypes.on(strategy.create()).tcpAcceptorSilent(LOCAL, Lines::echo, null);
        try (var client = new Client(server)) {
            client.ask("hello");
            server.close();
            assertThat(client.isCut()).isTrue();
            assertThat(server.waitForExit(Duration.ZERO)).isTrue();
            server.close();
            assertThat(server.stop(LONG).stopped()).isTrue();
        }
        OpenSockets.areBack(sockets);
    }

    @Test
    void closingTheScopeStopsTheServer() throws Exception {
        var server = new AtomicReference<Server>();
        Client client;
        try (var scope = ActorSystem.configure("test").closeTimeout(SHORT).open()) {
            server.set(Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, Lines::echo, null));
            client = new Client(server.get());
            client.ask("hello");
        }
        assertThat(client.isCut()).isTrue();
        client.close();
        assertThat(server.get().waitForExit(Patience.LIMIT)).isTrue();
        assertThat(Client.isRefused(server.get().port())).isTrue();
    }

    @Test
    void exitHooksRunAfterTheConnectionsHaveEnded() throws Exception {
        var openAtHook = new AtomicInteger(-1);
        var server = new AtomicReference<Server>();
        try (var scope = ActorSystem.configure("test").time(time).open()) {
            server.set(Stereotypes.with(scope.anonymous()
                    .onExit(() -> openAtHook.set(server.get().connections())))
                    .tcpAcceptor(LOCAL, Lines::echo, null));
            try (var client = new Client(server.get())) {
                client.ask("hello");
                Forced.stop(time, server.get()::stop);
                assertThat(openAtHook).hasValue(0);
            }
        }
    }

    @Test
    void aWorkerMayStopItsServer() throws Exception {
        var report = new CompletableFuture<StopReport>();
        var server = new AtomicReference<Server>();
        server.set(Stereotypes.def().tcpAcceptor(LOCAL, conn -> {
            Lines.reader(conn).readLine();
            report.complete(server.get().stop(LONG));
            Lines.write(conn, "stopped");
        }, null));
        try (var client = new Client(server.get())) {
            assertThat(client.ask("stop")).isEqualTo("stopped");
            assertThat(client.rest()).isEmpty();
        }
        assertThat(server.get().waitForExit(Patience.LIMIT)).isTrue();
        assertThat(Waits.on(report).stopped()).isFalse();
        assertThat(report.join().stuck()).hasSize(1).allMatch(name -> name.contains("127.0.0.1"));
    }

    @Test
    void aWorkerCannotWaitForItsServer() throws Exception {
        var server = new AtomicReference<Server>();
        var failure = new CompletableFuture<Void>();
        server.set(Stereotypes.def().tcpAcceptorSilent(LOCAL, conn -> {
            try {
                Lines.reader(conn).readLine();
                server.get().waitForExit();
                failure.complete(null);
            } catch (IllegalStateException expected) {
                failure.completeExceptionally(expected);
            }
        }, null));
        try (var client = new Client(server.get())) {
            client.send("go\n");
            assertThat(Waits.failure(failure)).hasMessageContaining("would wait for its own end");
        }
        server.get().close();
    }

    @Test
    void aWorkerThatIgnoresItsSocketIsInterrupted() throws Exception {
        var interrupted = new CountDownLatch(1);
        var working = new CountDownLatch(1);
        try (var scope = ActorSystem.configure("test").time(time).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(LOCAL, conn -> {
                    working.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.countDown();
                    }
                }, null);
                var client = new Client(server)) {
            Waits.on(working);
            var report = CompletableFuture.supplyAsync(() -> server.stop(Duration.ZERO));
            Waits.until("it is to end by itself", () -> time.pending() > 0 && time.nanosToNext() == SECOND);
            time.advance(Duration.ofNanos(SECOND));
            Waits.on(interrupted);
            assertThat(Waits.on(report).stopped()).isTrue();
            assertThat(client.isCut()).isTrue();
        }
    }

    @Test
    @Promise("15.6")
    void aWorkerThatCannotBeStoppedIsNamed() throws Exception {
        var release = new AtomicBoolean();
        var working = new CountDownLatch(1);
        var server = Stereotypes.threads().tcpAcceptorSilent(LOCAL, conn -> {
            working.countDown();
            while (!release.get()) {
                Thread.onSpinWait();
            }
        }, null);
        try (var client = new Client(server)) {
            Waits.on(working);
            var report = server.stop(SHORT);
            assertThat(report.stopped()).isFalse();
            assertThat(report.stuck()).singleElement().asString().contains(client.address());
            assertThat(server.waitForExit(Patience.LIMIT)).isTrue();
        } finally {
            release.set(true);
        }
        Waits.until("it has ended", () -> server.connections() == 0);
    }

    @Test
    void anInterruptedStopIsAStopByForce() throws Exception {
        var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null);
        try (var client = new Client(server)) {
            client.ask("hello");
            Thread.currentThread().interrupt();
            var report = server.stop(LONG);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(report.forced()).isTrue();
            assertThat(client.isCut()).isTrue();
        }
        server.close();
    }

    @Test
    void whoWaitsForTheExitCanBeInterrupted() {
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(server::waitForExit).isInstanceOf(ActorInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void manyMayStopItAtOnceAndTheShortestDeadlineCounts() throws Exception {
        try (var scope = ActorSystem.configure("test").time(time).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(LOCAL, Lines::echo, null);
                var client = new Client(server)) {
            client.ask("hello");
            var slow = CompletableFuture.supplyAsync(() -> server.stop(LONG));
            Waits.until("nobody listens", () -> Client.isRefused(server.port()));
            assertThat(Forced.stop(time, server::stop).stopped()).isTrue();
            assertThat(Waits.on(slow).forced()).isTrue();
        }
    }

    @Test
    @Promise("15.6")
    void aServerUnderLoadStops() throws Exception {
        var sockets = OpenSockets.count();
        var scope = ActorSystem.configure("test").time(time).open();
        var server = Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(LOCAL, Lines::echo, null);
        var asked = new AtomicInteger();
        try (var clients = new Repetition()) {
            for (int i = 0; i < 8; i++) {
                clients.start(() -> {
                    try (var client = new Client(server)) {
                        client.ask("hello");
                        asked.incrementAndGet();
                    } catch (IOException cut) {
                        // that is what a stop does
                    }
                });
            }
            Waits.until("there is load", () -> asked.get() > 200);
            var report = Forced.stop(time, server::stop);
            clients.end();
            assertThat(report.stopped()).isTrue();
        }
        assertThat(server.connections()).isZero();
        scope.close();
        OpenSockets.areBack(sockets);
    }

    @Test
    void theDeadlineIsChecked() {
        try (var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null)) {
            assertThatThrownBy(() -> server.stop(Duration.ofSeconds(-1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("deadline");
            assertThatThrownBy(() -> server.stop(null)).hasMessageContaining("deadline");
            assertThat(List.of(server.connections())).containsExactly(0);
        }
    }

    @Test
    @Promise("15.6")
    void theScopesEndStopsTheServerBeforeItsHooksRun() throws Exception {
        var openAtHook = new AtomicInteger(-1);
        var server = new AtomicReference<Server>();
        var scope = ActorSystem.configure("test").closeTimeout(SHORT).time(time).open();
        server.set(
                Stereotypes.with(scope.anonymous().onExit(() -> openAtHook.set(server.get().connections())))
                        .tcpAcceptor(LOCAL, Lines::echo, null));
        try (var client = new Client(server.get())) {
            client.ask("hello");
            assertThat(Forced.stop(time, scope::stop).stopped()).isTrue();
            assertThat(openAtHook).hasValue(0);
            assertThat(client.isCut()).isTrue();
        }
    }

    /** The interrupt comes before the server has begun to stop, so it meets nobody. */
    @Test
    @Promise("15.6")
    void theScopesHurryReachesAServerThatHasNotHeardOfTheStopYet() throws Exception {
        var scope = ActorSystem.configure("test").time(time).open();
        var flag = new CompletableFuture<Boolean>();
        var server = Stereotypes
                .with(scope.anonymous().onExit(() -> flag.complete(Thread.currentThread().isInterrupted())))
                .tcpAcceptor(LOCAL, Lines::echo, null);
        try (var client = new Client(server)) {
            client.ask("hello");
            assertThat(Forced.stopUnseen(time, scope::stop).stopped()).isTrue();
            assertThat(client.isCut()).isTrue();
        }
        assertThat(flag).as("the user's hook is interrupted").isCompletedWithValue(false);
    }

    /** The connections' deadlines hold while the stop that one of them has asked for waits for the others. */
    @Test
    @Promise("15.1")
    void whileAWorkersStopWaitsDeadlinesStillCut() throws Exception {
        var working = new CountDownLatch(2);
        var server = new AtomicReference<Server>();
        try (var scope = ActorSystem.configure("test").time(time).listener(recorder).open()) {
            server.set(
                    Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(LOCAL.idleTimeout(LONG), conn -> {
                        var in = Lines.reader(conn);
                        var stops = in.readLine().equals("stop");
                        working.countDown();
                        if (stops) {
                            server.get().stop(Duration.ofDays(1));
                        } else {
                            in.readLine();
                        }
                    }, null));
            try (var idle = new Client(server.get()); var client = new Client(server.get())) {
                idle.send("wait\n");
                client.send("stop\n");
                Waits.on(working);
                Waits.until("nobody listens", () -> Client.isRefused(server.get().port()));
                time.advance(LONG);
                assertThat(idle.isCut()).isTrue();
                server.get().waitForExit();
            }
        }
    }

    @Test
    void aServerInAClosedScopeIsRefusedAndNothingElseFails() {
        var sockets = OpenSockets.count();
        var scope = ActorSystem.configure("test").listener(recorder).open();
        scope.close();
        assertThatThrownBy(() -> Stereotypes.with(scope.anonymous()).tcpAcceptor(LOCAL, Lines::echo, null))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
        assertThat(recorder.of(Failed.class)).isEmpty();
        OpenSockets.areBack(sockets);
    }

    @Test
    void aDeadlineMayBeLongerThanTheClockCounts() throws Exception {
        var server = Stereotypes.def().tcpAcceptorSilent(LOCAL, Lines::echo, null);
        assertThat(server.stop(Duration.ofSeconds(Long.MAX_VALUE)).stopped()).isTrue();
        assertThatThrownBy(() -> server.stop(Duration.ofSeconds(Long.MIN_VALUE)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must not be negative");
    }
}
