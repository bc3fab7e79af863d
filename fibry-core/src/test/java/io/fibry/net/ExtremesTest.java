package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.ScopeBuilder;
import io.fibry.ScopeLimits;
import io.fibry.Stereotypes;
import io.fibry.Watchdog;
import io.fibry.event.Failed;
import io.fibry.keyed.KeyedBuilder;
import io.fibry.testing.Extremes;
import io.fibry.testing.Patience;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every limit of fibry-core at its extremes. fibry-web has a table of its own. */
class ExtremesTest {
    private static final Duration LONG = Patience.LIMIT;
    private static final TcpOptions TCP = TcpOptions.localPort(0);
    private static final HttpOptions HTTP = HttpOptions.localPort(0);
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final UdpOptions UDP = UdpOptions.address(FREE);

    private interface InScope {
        void run(ActorScope scope) throws Exception;
    }

    private static void in(UnaryOperator<ScopeBuilder> change, InScope code) throws Exception {
        var recorder = new Recorder();
        try (var scope = change.apply(ActorSystem.configure("test").listener(recorder)).open()) {
            code.run(scope);
            // Nothing of ours has failed beside it; connections may, when a limit of theirs is over.
            assertThat(recorder.of(Failed.class)).allSatisfy(
                    failed -> assertThat(failed.cause()).isInstanceOf(IOException.class));
        }
    }

    private static void in(InScope code) throws Exception {
        in(scope -> scope, code);
    }

    private static void answers(ActorBuilder builder) throws Exception {
        try (var actor = builder.newActorWithReturn((Integer n) -> n + 1)) {
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(2);
        }
    }

    private static void tcp(TcpOptions options) throws Exception {
        in(scope -> {
            try (var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(options, Lines::echo, null);
                    var client = new Client(server)) {
                assertThat(client.ask("hello")).isEqualTo("hello");
            }
        });
    }

    private static void http(HttpOptions options) throws Exception {
        in(scope -> {
            try (var server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(options,
                    call -> "read " + call.body().readAllBytes().length);
                    var client = new Client(server)) {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
                assertThat(client.line()).matches(
                        options.headerBytes() < 100 || options.headerCount() < 10 || options.bodyBytes() < 5
                                ? "HTTP/1.1 4[0-9]{2} .*\r"
                                : "HTTP/1.1 200 OK\r");
            }
        });
    }

    private static void udp(UdpOptions options) throws Exception {
        in(scope -> {
            var received = new AtomicInteger();
            try (var server = Stereotypes.with(scope.anonymous()).udpReceiver(options,
                    (socket, packet) -> received.incrementAndGet(), null);
                    var client = new DatagramSocket()) {
                client.send(new DatagramPacket(new byte[3], 3, server.address()));
                Waits.until("it is received", () -> received.get() == 1);
            }
        });
    }

    @TestFactory
    List<DynamicTest> servers() {
        return new Extremes()
                .number("TcpOptions.backlog", n -> tcp(TCP.backlog(n)))
                .number("TcpOptions.maxConnections", n -> tcp(TCP.maxConnections(n)))
                .time("TcpOptions.idleTimeout", d -> tcp(TCP.idleTimeout(d)))
                .time("TcpOptions.totalTimeout", d -> tcp(TCP.totalTimeout(d)))
                .number("HttpOptions.requests", n -> http(HTTP.requests(n)))
                .number("HttpOptions.headerBytes", n -> http(HTTP.headers(n, 100)))
                .number("HttpOptions.headerCount", n -> http(HTTP.headers(10_000, n)))
                .longNumber("HttpOptions.bodyBytes", n -> http(HTTP.bodyBytes(n)))
                .time("HttpOptions.writeLimit", d -> http(HTTP.writeLimit(d)))
                .time("HttpRoutes.asking", d -> in(scope -> {
                    var actor = scope.anonymous()
                            .newActorWithReturn((HttpCall call) -> HttpAnswer.text("ok"));
                    try (var server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(HTTP,
                            HttpRoutes.none().get("/", HttpRoutes.asking(actor, d)));
                            var client = new Client(server)) {
                        client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
                        assertThat(client.line()).startsWith("HTTP/1.1 ");
                    }
                }))
                .number("UdpOptions.maxBytes", n -> udp(UDP.maxBytes(n)))
                .number("UdpOptions.maxWaiting", n -> udp(UDP.maxWaiting(n)))
                .time("Server.stop", d -> in(scope -> {
                    var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(TCP, Lines::echo, null);
                    assertThat(server.stop(d).stopped()).isTrue();
                    assertThat(server.waitForExit(d)).isTrue();
                }))
                .time("HTTP Server.stop", d -> in(scope -> {
                    var server =
                            Stereotypes.with(scope.anonymous()).embeddedHttpServer(HTTP, exchange -> "x");
                    assertThat(server.stop(d).stopped()).isTrue();
                    assertThat(server.waitForExit(d)).isTrue();
                }))
                .tests();
    }

    @TestFactory
    List<DynamicTest> actorsAndScopes() {
        return new Extremes()
                .number("MailboxPolicy.bounded", n -> in(scope -> answers(
                        scope.anonymous().mailbox(MailboxPolicy.bounded(n, OverflowPolicy.reject())))))
                .number("MailboxPolicy.highWater", n -> in(scope -> answers(scope.anonymous().mailbox(
                        MailboxPolicy.bounded(Integer.MAX_VALUE, OverflowPolicy.reject()).highWater(n)))))
                .time("OverflowPolicy.block", d -> in(scope -> answers(
                        scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block(d))))))
                .number("ScopeLimits.waiting", n -> in(
                        scope -> scope.limits(ScopeLimits.none().waiting(n)),
                        scope -> answers(scope.anonymous())))
                .number("ScopeLimits.asks", n -> in(scope -> scope.limits(ScopeLimits.none().asks(n)),
                        scope -> answers(scope.anonymous())))
                .number("ScopeLimits.running", n -> in(scope -> scope.limits(ScopeLimits.none().running(n)),
                        scope -> answers(scope.anonymous())))
                .time("ScopeLimits.overflow block", d -> in(
                        scope -> scope.limits(
                                ScopeLimits.none().waiting(1).overflow(OverflowPolicy.block(d))),
                        scope -> answers(scope.anonymous())))
                .number("ActorScope.sendOrKeep", n -> in(scope -> {
                    scope.sendOrKeep(ActorName.of("late"), 1, n);
                    answers(scope.named("late"));
                }))
                .number("KeyedBuilder.atMost", n -> keyed(builder -> builder.atMost(n)))
                .time("KeyedBuilder.idle", d -> keyed(builder -> builder.idle(d)))
                .number("CreationStrategy.pool", n -> in(scope -> {
                    var pool = CreationStrategy.pool(n);
                    answers(scope.anonymous().strategy(pool));
                }))
                .number("CreationStrategy.limited", n -> in(scope -> answers(scope.anonymous()
                        .strategy(CreationStrategy.limited(CreationStrategy.fibers(), n)))))
                .number("stopPhase", n -> in(scope -> answers(scope.anonymous().stopPhase(n))))
                .number("FailurePolicy.restart", n -> restarted(FailurePolicy.restart(n, LONG)))
                .time("FailurePolicy.restart window", d -> restarted(FailurePolicy.restart(3, d)))
                .time("FailurePolicy.restart max", d -> restarted(
                        FailurePolicy.restart(3, LONG).withBackoff(Duration.ofNanos(1), d, 1)))
                .time("stopWhenIdle", d -> in(scope -> {
                    var actor = scope.anonymous().stopWhenIdle(d)
                            .newActorWithReturn((Integer n) -> n + 1);
                    actor.sendMessageReturn(1).get();
                }))
                .time("abandonStuck.limit", d -> abandons(d, LONG))
                .time("abandonStuck.grace", d -> abandons(LONG, d))
                .time("Watchdog.stuckAfter", d -> in(scope -> scope.watchdog(Watchdog.none().stuckAfter(d)),
                        scope -> answers(scope.anonymous())))
                .time("Watchdog.laggingAfter",
                        d -> in(scope -> scope.watchdog(Watchdog.none().laggingAfter(d)),
                                scope -> answers(scope.anonymous())))
                .time("Watchdog.starvedAfter",
                        d -> in(scope -> scope.watchdog(Watchdog.none().starvedAfter(d)),
                                scope -> answers(scope.anonymous())))
                .time("ScopeBuilder.closeTimeout", d -> in(scope -> scope.closeTimeout(d),
                        scope -> answers(scope.anonymous())))
                .tests();
    }

    @TestFactory
    List<DynamicTest> times() {
        return new Extremes()
                .time("ask", d -> in(scope -> {
                    var actor = scope.anonymous().newActorWithReturn((Integer n) -> n + 1);
                    assertThat(actor.ask(1, d).get()).isEqualTo(2);
                }))
                .time("Actor.stop", d -> in(scope -> {
                    var actor = scope.anonymous().newActor((Integer n) -> {
                    });
                    actor.stop(d);
                    assertThat(actor.waitForExit(d) || d.compareTo(LONG) < 0).isTrue();
                }))
                .time("ActorScope.stop", d -> in(scope -> scope.stop(d)))
                .time("receive", d -> in(scope -> {
                    var came = new CompletableFuture<Optional<Integer>>();
                    scope.anonymous().newReceivingActor((ReceivingContext<Integer> inbox) -> {
                        try {
                            came.complete(inbox.receive(n -> n == 1, d));
                        } catch (IllegalArgumentException refused) {
                            came.completeExceptionally(refused);
                        }
                    }).sendMessage(1);
                    try {
                        assertThat(Waits.on(came).isPresent() || d.compareTo(LONG) < 0).isTrue();
                    } catch (ExecutionException refused) {
                        throw (IllegalArgumentException) refused.getCause();
                    }
                }))
                .time("Schedule.once", d -> scheduled(Schedule.once(d)))
                .time("Schedule.fixedRate", d -> scheduled(Schedule.fixedRate(d)))
                .time("Schedule.fixedDelay", d -> scheduled(Schedule.fixedDelay(d)))
                .time("Schedule.startingAfter",
                        d -> scheduled(Schedule.fixedRate(Duration.ofSeconds(1)).startingAfter(d)))
                .longNumber("Schedule.times of a rate",
                        n -> scheduled(Schedule.fixedRate(Duration.ofSeconds(1)).times(n)))
                .longNumber("Schedule.times of once",
                        n -> scheduled(Schedule.once(Duration.ofSeconds(1)).times(n)))
                .time("ManualTime.advance", d -> new ManualTime().advance(d))
                .tests();
    }

    private static void keyed(UnaryOperator<KeyedBuilder<Integer, Integer>> change) throws Exception {
        in(scope -> {
            var seen = new AtomicInteger();
            var actors = change.apply(scope.anonymous().keyed((Integer n) -> n))
                    .newActorsFrom(key -> (context, n) -> seen.incrementAndGet());
            actors.sendMessage(1);
            Waits.until("it was handled", () -> seen.get() == 1);
        });
    }

    private static void restarted(FailurePolicy policy) throws Exception {
        try (var scope = ActorSystem.open("test")) {
            var actor = scope.anonymous().onFailure(policy).newActorWithReturn((Integer n) -> {
                if (n == 0) {
                    throw new IllegalStateException("as it must");
                }
                return n;
            });
            var failed = Waits.failure(actor.sendMessageReturn(0));
            assertThat(failed).hasMessage("as it must");
            assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(1);
        }
    }

    private static void abandons(Duration limit, Duration grace) throws Exception {
        try (var scope = ActorSystem.open("test")) {
            var actor = scope.anonymous().abandonStuck(limit, grace).newActorWithReturn((Integer n) -> n + 1);
            try {
                assertThat(Waits.on(actor.sendMessageReturn(1))).isEqualTo(2);
            } catch (ExecutionException abandoned) {
                assertThat(limit).isLessThan(Duration.ofSeconds(1));
            }
        }
    }

    private static void scheduled(Schedule schedule) throws Exception {
        var time = new ManualTime();
        in(scope -> scope.time(time), scope -> {
            var fired = new AtomicInteger();
            var timer = scope.schedule(schedule, fired::incrementAndGet);
            if (schedule.start().isEmpty() && schedule.delay().compareTo(Duration.ofSeconds(2)) < 0) {
                time.advanceToNext();
                Waits.until("it happened", () -> fired.get() > 0);
            }
            assertThat(timer.next()).isNotNull();
            timer.cancel();
        });
    }
}
