package io.fibry.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.net.HttpOptions;
import io.fibry.net.TcpOptions;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class CurrentActorTest {
    private static String here() {
        return ActorSystem.currentActor().orElse("none");
    }

    private static String key() {
        return String.valueOf(MDC.get("actor"));
    }

    @Promise("29.3")
    @EveryStrategy
    void allCodeOfAnActorCanReadItsName(Strategy strategy) throws Exception {
        var seen = new CopyOnWriteArrayList<String>();
        assertThat(ActorSystem.currentActor()).isEmpty();
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.named("mine").onExit(() -> seen.add("hook " + here())).state(() -> {
                seen.add("state " + here());
                return "";
            }).newActorWithReturn((String state, String message) -> here());
            assertThat(actor.apply("x")).isEqualTo("mine");
            actor.execAndWait(() -> seen.add("code " + here()));
            assertThat(ActorSystem.currentActor()).isEmpty();
            actor.close();
            assertThat(seen).containsExactly("state mine", "code mine", "hook mine");
            var nameless = scope.anonymous().newActorWithReturn((String message) -> here());
            assertThat(nameless.apply("x")).isEqualTo(nameless.name());
        }
        assertThat(ActorSystem.currentActor()).isEmpty();
    }

    @Promise("29.3")
    @EveryStrategy
    void onTopOfAnotherItIsTheUpperOne(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            var upper = scope.named("upper").newActorWithReturn((String message) -> here());
            var lower = scope.named("lower").newActorWithReturn(
                    (String message) -> here() + " " + upper.apply(message) + " " + here());
            assertThat(lower.apply("x")).isEqualTo("lower upper lower");
        }
    }

    @Promise("29.3")
    @Test
    void aThreadThatHandlesForAnActorHasItsNameAlsoWhenAbandoned() throws Exception {
        for (var strategy : List.of(Strategy.FIBERS, Strategy.THREADS, Strategy.POOL)) {
            var after = new CompletableFuture<String>();
            var go = new CompletableFuture<String>();
            try (var scope = Scopes.on(strategy)) {
                var actor = scope.named("held").abandonStuck(Duration.ofMillis(1), Duration.ofMillis(1))
                        .newActorWithReturn((Integer n) -> {
                            if (n == 1) {
                                while (!go.isDone()) {
                                    Thread.onSpinWait();
                                }
                                after.complete(here());
                            }
                            return here();
                        });
                Waits.failure(actor.sendMessageReturn(1));
                go.complete("");
                assertThat(Waits.on(after)).isEqualTo("held");
            }
        }
    }

    @Promise("29.3")
    @Test
    void aListenerReadsWhoseCodeReports() throws Exception {
        var heard = new CompletableFuture<String>();
        try (var scope = ActorSystem.configure("test").listener(event -> {
            if (event instanceof Failed) {
                heard.complete(here());
            }
        }).open()) {
            scope.named("fails").newActor((String message) -> {
                throw new IllegalStateException(message);
            }).sendMessage("x");
            assertThat(Waits.on(heard)).isEqualTo("fails");
        }
    }

    @Promise("29.3")
    @EveryStrategy
    void connectionsAndRequestsHaveTheNameOfTheirServer(Strategy strategy) throws Exception {
        var tcp = new CompletableFuture<String>();
        try (var scope = Scopes.on(strategy);
                var lines = Stereotypes.with(scope.named("lines")).tcpAcceptor(TcpOptions.localPort(0),
                        socket -> {
                            tcp.complete(here() + " of " + socket.getPort());
                        }, null);
                var web = Stereotypes.with(scope.named("web")).embeddedHttpServer(HttpOptions.localPort(0),
                        exchange -> here());
                var client = HttpClient.newHttpClient()) {
            new Socket("127.0.0.1", lines.port()).close();
            assertThat(Waits.on(tcp)).startsWith("lines-tcp-" + lines.port()).matches(".*:([0-9]+).* of \\1");
            assertThat(
                    client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web.port())).build(),
                            HttpResponse.BodyHandlers.ofString()).body())
                    .startsWith("web-http-" + web.port()
                            + (strategy == Strategy.FIBERS || strategy == Strategy.CALLER ? "/127.0.0.1:"
                                    : "#"));
        }
    }

    @Promise("29.3")
    @EveryStrategy
    void aWorkerHasTheNameOfItsMaster(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var workers = Stereotypes.with(scope.named("crew")).workersWithReturn((Integer n) -> {
                if (n < 0) {
                    throw new IllegalArgumentException("negative");
                }
                return here();
            });
            assertThat(workers.apply(1)).startsWith("crew-workers#");
            Waits.failure(workers.sendMessageReturn(-1));
            assertThat(recorder.await(Failed.class).actor()).startsWith("crew-workers#");
        }
    }

    private static ActorScope named(Strategy strategy, ContextCarrier... carriers) {
        var builder = ActorSystem.configure("test").strategy(strategy.create()).nameActorsInMdc();
        for (var carrier : carriers) {
            builder = builder.carry(carrier);
        }
        return builder.open();
    }

    @Promise("29.3")
    @EveryStrategy
    void aScopeCanPutTheNameIntoTheMdc(Strategy strategy) throws Exception {
        var seen = new CopyOnWriteArrayList<String>();
        try (var scope = named(strategy); var inner = scope.child("inner").open()) {
            var upper = inner.named("upper").newActorWithReturn((String message) -> key());
            var actor = scope.named("mine").onExit(() -> seen.add("hook " + key()))
                    .newActorWithReturn((String message) -> {
                        var first = key();
                        var second = upper.apply(message);
                        var third = key();
                        MDC.clear();
                        return first + " " + second + " " + third;
                    });
            for (int n = 0; n < 3; n++) {
                assertThat(actor.apply("x")).isEqualTo("mine upper mine");
            }
            try (var gate = Gate.in(actor)) { // messages of one turn
                var more = List.of(actor.sendMessageReturn("1"), actor.sendMessageReturn("2"));
                gate.open();
                for (var answer : more) {
                    assertThat(Waits.on(answer)).isEqualTo("mine upper mine");
                }
            }
            actor.execAndWait(() -> seen.add("code " + key()));
            actor.close();
            assertThat(seen).containsExactly("code mine", "hook mine");
            var idle = scope.named("idle").onExit(() -> seen.add("idle " + key())).newActor((String m) -> {
            });
            idle.askExit();
            Waits.stopped(idle);
            assertThat(seen).contains("idle idle");
        }
        assertThat(MDC.get("actor")).isNull();
    }

    @Promise("29.3")
    @EveryStrategy
    void whatASenderCarriesDoesNotTakeItsPlace(Strategy strategy) throws Exception {
        try (var scope = named(strategy, ContextCarrier.mdc())) {
            var last = scope.named("last").newActorWithReturn(
                    (String message) -> key() + " " + MDC.get("user"));
            var first = scope.named("first").newActorWithReturn((String message) -> {
                MDC.put("user", message);
                var before = key();
                var answer = last.sendMessageReturn(message).get();
                return before + " " + answer + " " + key();
            });
            assertThat(first.apply("ann")).isEqualTo("first last ann first");
            MDC.put("actor", "somebody");
            try {
                assertThat(last.sendMessageReturn("x").get()).isEqualTo("last null");
                assertThat(MDC.get("actor")).isEqualTo("somebody");
            } finally {
                MDC.remove("actor");
            }
        }
    }

    @Promise("29.3")
    @Test
    void onAHandOfItsActorToo() throws Exception {
        try (var scope = named(Strategy.FIBERS)) {
            var actor = scope.named("held").abandonStuck(Duration.ofMinutes(1), Duration.ofMinutes(1))
                    .newActorWithReturn((ActorContext<Integer, String> context, Integer n) -> key());
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo("held");
            assertThat(Waits.on(actor.sendMessageReturn(2))).isEqualTo("held");
        }
    }

    @Promise("29.3")
    @EveryStrategy
    void withoutThatChoiceNothingIsThere(Strategy strategy) {
        try (var scope = Scopes.on(strategy)) {
            Actor<String, Optional<String>> actor = scope.named("plain")
                    .newActorWithReturn((String message) -> Optional.ofNullable(MDC.get("actor")));
            assertThat(actor.apply("x")).isEmpty();
        }
    }

    @Promise("29.3")
    @Test
    void theFiberThatIsStartedForANamedActorHasItsName() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var next = new CompletableFuture<String>();
            Actor<String, Void> other = scope.named("other").newActor((String message) -> {
                next.complete(Thread.currentThread().getName() + (Thread.currentThread().threadId() + "")
                        .equals(message));
            });
            Actor<String, String> actor = scope.named("ledger").newActorWithReturn((String message) -> {
                if (!message.isEmpty()) {
                    other.sendMessage("" + Thread.currentThread().threadId());
                }
                return Thread.currentThread().getName();
            });
            assertThat(Waits.on(actor.sendMessageReturn(""))).isEqualTo("fibry-ledger");
            try (var gate = Gate.in(actor)) { // a turn with more than one message
                var answers = List.of(actor.sendMessageReturn(""), actor.sendMessageReturn("go on"));
                gate.open();
                for (var answer : answers) {
                    assertThat(Waits.on(answer)).isEqualTo("fibry-ledger");
                }
            }
            // On the same thread it is called after nobody, on another one after the other actor.
            assertThat(Waits.on(next)).isIn("fibrytrue", "fibry-otherfalse");
        }
    }

    @Promise("29.3")
    @Test
    void threadsOfNamedActorsHaveTheirNames() {
        try (var scope = Scopes.on(Strategy.THREADS)) {
            var actor =
                    scope.named("ledger").newActorWithReturn((String m) -> Thread.currentThread().getName());
            assertThat(actor.apply("")).isEqualTo("fibry-ledger");
        }
    }

    @Promise("29.3")
    @Test
    void aThreadHasTheNameOfTheActorThatWaitsThere() throws Exception {
        for (var strategy : List.of(Strategy.FIBERS, Strategy.THREADS, Strategy.POOL, Strategy.EXECUTOR)) {
            var on = new CompletableFuture<Thread>();
            var before = new CompletableFuture<String>();
            var after = new CompletableFuture<String>();
            try (var scope = Scopes.on(strategy)) {
                var held = scope.named("held").strategy(CreationStrategy.threads())
                        .newActorWithReturn((String message) -> message);
                var waiting = scope.anonymous().newActorWithReturn((String message) -> {
                    before.complete(Thread.currentThread().getName());
                    on.complete(Thread.currentThread());
                    held.apply(message);
                    after.complete(Thread.currentThread().getName());
                    return "";
                });
                try (var gate = Gate.in(held)) {
                    var answer = waiting.sendMessageReturn("x");
                    var thread = Waits.on(on);
                    Waits.until("its name on " + strategy,
                            () -> thread.getName().equals("fibry-" + waiting.name()));
                    gate.open();
                    Waits.on(answer);
                }
                if (strategy == Strategy.POOL || strategy == Strategy.EXECUTOR) {
                    assertThat(Waits.on(after)).isEqualTo(Waits.on(before));
                }
            }
        }
    }

    /** The monitor of a new process is not ready at once. */
    private static void wakeMonitor(ActorScope scope) {
        var other = scope.anonymous().newActor((String message) -> {
        });
        for (int n = 0; n < 100; n++) {
            scope.anonymous().newActorWithReturn((String message) -> {
                other.sendMessage(message);
                return "";
            }).apply("x");
        }
    }

    @Promise("29.3")
    @Test
    void aFiberThatIsStuckAfterItHasStartedAnotherActorHasTheName() throws Exception {
        Assumptions.assumeFalse("off".equals(System.getProperty("io.fibry.lanes")), "lanes are on");
        var on = new CompletableFuture<Thread>();
        var end = new CompletableFuture<String>();
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var other = scope.anonymous().newActor((String message) -> {
            });
            wakeMonitor(scope);
            var stuck = scope.anonymous().newActor((String message) -> {
                other.sendMessage(message);
                on.complete(Thread.currentThread());
                end.get();
            });
            stuck.sendMessage("x");
            var thread = Waits.on(on);
            Waits.until("its name", () -> thread.getName().equals("fibry-" + stuck.name()));
            end.complete("");
        }
    }

    @Promise("29.3")
    @Test
    void aHandlerThatHasLockedItsThreadAndWaitsHoldsUpNobodyElse() throws Exception {
        Assumptions.assumeTrue(
                Runtime.version().feature() >= 24 || Runtime.getRuntime().availableProcessors() > 1,
                "a lock holds a carrier on older JDKs");
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var ended = new CompletableFuture<String>();
            var other = scope.anonymous().newActor((String message) -> ended.complete(message));
            wakeMonitor(scope);
            var locking = scope.anonymous().newActor((String message) -> {
                synchronized (Thread.currentThread()) {
                    other.sendMessage(message);
                    ended.get();
                    var timer = new CompletableFuture<String>();
                    EngineProbe.systemTimer(Duration.ofMillis(20), () -> timer.complete(""));
                    timer.get();
                }
            });
            var answer = locking.sendMessageReturn("x");
            Waits.on(ended);
            Waits.on(answer);
        }
    }
}
