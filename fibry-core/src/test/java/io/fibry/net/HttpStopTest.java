package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@Promise("14.6")
class HttpStopTest {
    private static final Duration LONG = Patience.LIMIT;
    private final ManualTime time = new ManualTime();
    private final ActorScope scope = ActorSystem.open("test");
    private final ExecutorService aside = Executors.newCachedThreadPool();

    @AfterEach
    void closeAll() {
        aside.shutdownNow();
        scope.close();
    }

    private CompletableFuture<StopReport> stopAside(Server server, Duration deadline) {
        return CompletableFuture.supplyAsync(() -> server.stop(deadline), aside);
    }

    @EveryStrategy
    void aRequestInWorkIsAnsweredAndALaterOneRefused(Strategy strategy) throws Exception {
        try (var own = Scopes.on(strategy)) {
            var blocked = new BlockedHandler();
            var server = in(own).embeddedHttpServer(local(), blocked);
            try (var client = new RawHttp(server); var idle = new RawHttp(server)) {
                blocked.begin(client);
                var stopping = stopAside(server, LONG);
                await().until(() -> Client.isRefused(server.port()));
                assertThat(stopping).isNotDone();
                assertThat(server.waitForExit(Duration.ZERO)).isFalse();
                blocked.letGo();
                assertThat(client.receive().body()).isEqualTo("done");
                var report = Waits.on(stopping);
                assertThat(report.stopped()).isTrue();
                assertThat(report.forced()).isFalse();
                assertThat(idle.isOver()).isTrue();
            }
            server.waitForExit();
            assertThatThrownBy(() -> new RawHttp(server).close()).isInstanceOf(IOException.class);
        }
    }

    @EveryStrategy
    void afterTheDeadlineHandlersAreInterrupted(Strategy strategy) throws Exception {
        try (var own = Scopes.on(strategy, event -> {
        }, time)) {
            var blocked = new BlockedHandler();
            var server = in(own).embeddedHttpServer(local(), blocked);
            try (var client = new RawHttp(server)) {
                blocked.begin(client);
                var report = Forced.stop(time, server::stop);
                assertThat(report.forced()).isTrue();
                assertThat(report.stopped()).isTrue();
                blocked.awaitInterrupted();
                assertThat(client.isOver()).isTrue();
            }
        }
    }

    /** Every handler that was begun has its answer read by its client. */
    @Test
    void underLoadNoRequestInWorkIsLost() throws Exception {
        for (int round = 0; round < 10; round++) {
            var begun = new AtomicInteger();
            var answered = new AtomicInteger();
            var server = in(scope).embeddedHttpServer(local(), exchange -> {
                begun.incrementAndGet();
                Thread.yield();
                return "done";
            });
            var clients = new ArrayList<CompletableFuture<Void>>();
            for (int i = 0; i < 8; i++) {
                clients.add(CompletableFuture.runAsync(() -> askUntilRefused(server, answered), aside));
            }
            await().until(() -> answered.get() > 200);
            assertThat(server.stop(LONG).forced()).isFalse();
            for (var client : clients) {
                Waits.on(client);
            }
            assertThat(answered).hasValue(begun.get());
        }
    }

    private static void askUntilRefused(Server server, AtomicInteger answered) {
        try (var client = new RawHttp(server)) {
            while (client.get("/").status() == 200) {
                answered.incrementAndGet();
            }
        } catch (IOException closed) {
            // as good as refused: the count says whether an answer was on its way
        }
    }

    @Test
    void aSlowSenderDoesNotHoldTheStop() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), exchange -> "never");
        try (var client = new RawHttp(server)) {
            client.send("GET / HT");
            await().until(() -> server.connections() == 1);
            assertThat(server.stop(LONG).forced()).isFalse();
            assertThat(client.isOver()).isTrue();
        }
    }

    @Test
    void closingDoesNotWaitForHandlers() throws Exception {
        var blocked = new BlockedHandler();
        var server = in(scope).embeddedHttpServer(local(), blocked);
        try (var client = new RawHttp(server)) {
            blocked.begin(client);
            server.close();
            server.close();
            assertThat(server.waitForExit(Duration.ZERO)).isTrue();
            assertThat(server.connections()).isZero();
        }
    }

    @EveryStrategy
    void aHandlerMayStopItsOwnServer(Strategy strategy) throws Exception {
        try (var own = Scopes.on(strategy)) {
            var report = new CompletableFuture<StopReport>();
            var self = new CompletableFuture<Server>();
            self.complete(in(own).embeddedHttpServer(local(), exchange -> {
                report.complete(self.get().stop(LONG));
                return "and answers";
            }));
            try (var client = new RawHttp(self.get())) {
                assertThat(client.get("/").body()).isEqualTo("and answers");
                assertThat(Waits.on(report).forced()).isFalse();
                assertThat(self.get().waitForExit(LONG)).isTrue();
                assertThat(client.isOver()).isTrue();
            }
        }
    }

    @Test
    void theEndOfItsScopeIsAGracefulStop() throws Exception {
        var own = ActorSystem.open("own");
        var blocked = new BlockedHandler();
        var server = in(own).embeddedHttpServer(local(), blocked);
        try (var client = new RawHttp(server)) {
            blocked.begin(client);
            var closing = CompletableFuture.runAsync(own::close, aside);
            await().until(() -> Client.isRefused(server.port()));
            blocked.letGo();
            assertThat(client.receive().body()).isEqualTo("done");
            Waits.on(closing);
            assertThat(server.waitForExit(Duration.ZERO)).isTrue();
        }
    }

    @Test
    void aScopeThatIsInAHurryForcesIt() throws Exception {
        var own = ActorSystem.configure("own").time(time).open();
        var blocked = new BlockedHandler();
        var server = in(own).embeddedHttpServer(local(), blocked);
        try (var client = new RawHttp(server)) {
            blocked.begin(client);
            var report = Forced.stop(time, own::stop);
            assertThat(report.forced()).isTrue();
            assertThat(server.waitForExit(LONG)).isTrue();
            assertThat(client.isOver()).isTrue();
        }
    }

    /** The interrupt comes before the server has begun to stop, so it meets nobody. */
    @Test
    void aScopeThatIsInAHurryForcesAServerThatHasNotHeardOfTheStopYet() throws Exception {
        var own = ActorSystem.configure("own").time(time).open();
        var blocked = new BlockedHandler();
        var server = in(own).embeddedHttpServer(local(), blocked);
        try (var client = new RawHttp(server)) {
            blocked.begin(client);
            assertThat(Forced.stopUnseen(time, own::stop).stopped()).isTrue();
            assertThat(server.waitForExit(Duration.ZERO)).isTrue();
            assertThat(client.isOver()).isTrue();
        }
    }

    @Test
    void nothingIsLeftOfManyServers() throws Exception {
        in(scope).embeddedHttpServer(local(), exchange -> "warm up").close();
        var before = HttpFixture.descriptors();
        for (int i = 0; i < 50; i++) {
            var server = in(scope).embeddedHttpServer(local(), exchange -> "Hello");
            try (var client = new RawHttp(server)) {
                assertThat(client.get("/").status()).isEqualTo(200);
                server.stop(LONG);
            }
        }
        await().untilAsserted(() -> assertThat(HttpFixture.descriptors()).isLessThanOrEqualTo(before + 3));
    }

    @Test
    void deadlinesAreChecked() {
        var server = in(scope).embeddedHttpServer(local(), exchange -> "Hello");
        assertThatThrownBy(() -> server.stop(Duration.ofMillis(-1))).hasMessageContaining("deadline")
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> server.stop(Duration.ofSeconds(Long.MIN_VALUE)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> server.stop(null)).hasMessageContaining("deadline");
        assertThat(server.stop(Duration.ofSeconds(Long.MAX_VALUE)).stopped()).isTrue();
    }

    @Test
    void theEndOfItsScopeStopsItBeforeHooksRun() {
        var atHook = new CompletableFuture<Boolean>();
        var server = new CompletableFuture<Server>();
        try (var own = ActorSystem.open("own")) {
            server.complete(Stereotypes.with(own.anonymous()
                    .onExit(() -> atHook.complete(isClosed(server.join().port()))))
                    .embeddedHttpServer(local(), exchange -> "Hello"));
        }
        assertThat(atHook).isCompletedWithValue(true);
    }

    private static boolean isClosed(int port) {
        try {
            new Client(port).close();
            return false;
        } catch (IOException refused) {
            return true;
        }
    }

    /** Each would wait for the other's end. */
    @Test
    void twoHandlersMayStopTheirServerAtOnce() throws Exception {
        var both = new java.util.concurrent.CyclicBarrier(2);
        var self = new CompletableFuture<Server>();
        self.complete(in(scope).embeddedHttpServer(local(), exchange -> {
            both.await();
            self.get().stop(Duration.ofDays(1));
            return "stopped";
        }));
        try (var one = new RawHttp(self.get()); var two = new RawHttp(self.get())) {
            one.send(RawHttp.GET);
            two.send(RawHttp.GET);
            assertThat(one.receive().body()).isEqualTo("stopped");
            assertThat(two.receive().body()).isEqualTo("stopped");
        }
        assertThat(self.get().waitForExit(LONG)).isTrue();
    }

    @Test
    void aHandlerCannotWaitForItsServer() throws Exception {
        var self = new CompletableFuture<Server>();
        self.complete(in(scope).embeddedHttpServer(local(), exchange -> {
            try {
                self.get().waitForExit();
                return "waited";
            } catch (IllegalStateException refused) {
                return refused.getMessage();
            }
        }));
        try (var client = new RawHttp(self.get())) {
            assertThat(client.get("/").body()).contains("would wait for its own end");
        }
    }

    /** A thread that has run a handler is not inside of it any more while its answer is being written. */
    @Test
    void aThreadOfAPoolMayStopAServerWhoseAnswerItHasMade() throws Exception {
        var pool = io.fibry.CreationStrategy.pool(1);
        try (var own = ActorSystem.configure("own").strategy(pool).open()) {
            var server = in(own).embeddedHttpServer(local().writeLimit(LONG.multipliedBy(2)),
                    exchange -> "x".repeat(50_000_000));
            var stopper = own.anonymous().newActorWithReturn(
                    (Server it) -> Forced.stop(() -> it.stop(Duration.ofMillis(50))));
            try (var client = new RawHttp(server)) {
                client.send(RawHttp.GET);
                assertThat(client.socket.getInputStream().read()).isEqualTo('H'); // and no more
                var report = Waits.on(stopper.sendMessageReturn(server));
                assertThat(report.stopped()).isTrue();
                assertThat(report.forced()).isTrue();
            }
        }
    }
}
