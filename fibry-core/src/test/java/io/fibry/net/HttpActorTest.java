package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An actor answers requests. */
class HttpActorTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private final ActorScope scope = ActorSystem.open("test");

    @AfterEach
    void closeScope() {
        scope.close();
    }

    @EveryStrategy
    @Promise("14.1")
    void anActorAnswersOneRequestAfterTheOther(Strategy strategy) throws Exception {
        try (var own = Scopes.on(strategy)) {
            var count = new int[1]; // only the actor touches it
            var actor = own.anonymous()
                    .newActorWithReturn((HttpCall call) -> HttpAnswer.text(call.text() + ++count[0]));
            var server = in(own).embeddedHttpServer(0, asking(actor));
            try (var one = new RawHttp(server); var other = new RawHttp(server)) {
                for (int i = 1; i < 20; i += 2) {
                    var post = "POST /any HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n#";
                    assertThat(one.send(post).receive().body()).isEqualTo("#" + i);
                    assertThat(other.send(post).receive().body()).isEqualTo("#" + (i + 1));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"reject", "fail", "dropNewest"})
    @Promise("14.1")
    void aFullActorMeans503(String policy) throws Exception {
        var overflow = switch (policy) {
            case "reject" -> OverflowPolicy.reject();
            case "fail" -> OverflowPolicy.fail();
            default -> OverflowPolicy.dropNewest();
        };
        var handling = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        Actor<HttpCall, HttpAnswer> actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, overflow))
                .newActorWithReturn((HttpCall call) -> {
                    handling.countDown();
                    go.await();
                    return HttpAnswer.text("done");
                });
        var server = in(scope).embeddedHttpServer(0, asking(actor));
        try (var first = new RawHttp(server);
                var second = new RawHttp(server);
                var third = new RawHttp(server)) {
            first.send(RawHttp.GET);
            Waits.on(handling);
            second.send(RawHttp.GET);
            Patience.spin("the second is queued", () -> actor.mailboxSize() == 1);
            var refused = third.get("/");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            go.countDown();
            assertThat(first.receive().body()).isEqualTo("done");
            assertThat(second.receive().body()).isEqualTo("done");
            assertThat(third.get("/").status()).isEqualTo(200);
        }
    }

    @Test
    @Promise("14.1")
    void aLateActorMeans504AndIsNotAskedAnyMore() throws Exception {
        var go = new CountDownLatch(1);
        var handling = new CountDownLatch(1);
        var handled = new AtomicInteger();
        var time = new ManualTime();
        try (var own = ActorSystem.configure("own").time(time).open()) {
            var actor = own.anonymous().newActorWithReturn((HttpCall call) -> {
                handled.incrementAndGet();
                handling.countDown();
                go.await();
                return HttpAnswer.text("late");
            });
            var server = in(own).embeddedHttpServer(0, asking(actor));
            try (var first = new RawHttp(server); var second = new RawHttp(server)) {
                first.send(RawHttp.GET);
                Waits.on(handling);
                second.send(RawHttp.GET);
                Patience.spin("the second is queued", () -> actor.mailboxSize() == 1);
                time.advance(LONG);
                assertThat(first.receive().status()).isEqualTo(504);
                assertThat(second.receive().status()).isEqualTo(504);
            }
            go.countDown();
        }
        assertThat(handled).hasValue(1);
    }

    /** The actor would otherwise read the beginning of the next request as the rest of its own, and the server what is left. */
    @Test
    @Promise("14.7")
    void nothingIsAnsweredAfterARequestThatALateActorStillReads() throws Exception {
        var reader = new CompletableFuture<Thread>();
        var read = new CompletableFuture<String>();
        var time = new ManualTime();
        try (var own = ActorSystem.configure("own").time(time).open()) {
            var actor = own.anonymous().newActorWithReturn((HttpCall call) -> {
                reader.complete(Thread.currentThread());
                try {
                    read.complete(call.text());
                } catch (IOException cut) {
                    read.complete("cut");
                }
                return HttpAnswer.text("late");
            });
            var server = in(own).embeddedHttpServer(0, asking(actor));
            try (var client = new RawHttp(server)) {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n");
                var thread = Waits.on(reader);
                Patience.spin("it waits for content", () -> thread.getState() == Thread.State.WAITING);
                time.advance(LONG);
                var late = client.receive();
                assertThat(late.status()).isEqualTo(504);
                assertThat(late.header("Connection")).isEqualTo("close");
                client.send("0123456789");
                client.send(RawHttp.GET);
                assertThat(client.isOver()).isTrue();
            }
        }
        assertThat(Waits.on(read)).isIn("0123456789", "cut");
    }

    @Test
    @Promise("14.7")
    void contentIsNotReadAfterTheAnswer() throws Exception {
        var answered = new CountDownLatch(1);
        var read = new CompletableFuture<String>();
        var server = in(scope).embeddedHttpServer(local(), HttpRoutes.none().post("/", call -> {
            scope.anonymous().newActor((String name) -> {
                answered.await();
                try {
                    read.complete(call.text());
                } catch (IOException over) {
                    read.complete("over");
                }
            }).sendMessage("read");
            return HttpAnswer.text("done");
        }));
        try (var client = new RawHttp(server)) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.receive().body()).isEqualTo("done");
            assertThat(client.get("/").status()).isEqualTo(405);
            answered.countDown();
            assertThat(Waits.on(read)).isEqualTo("over");
        }
    }

    @Test
    @Promise("14.1")
    void aStoppedActorMeans503() throws Exception {
        var actor = scope.anonymous().newActorWithReturn((HttpCall call) -> HttpAnswer.text("never"));
        actor.close();
        var server = in(scope).embeddedHttpServer(0, asking(actor));
        try (var client = new RawHttp(server)) {
            assertThat(client.get("/").status()).isEqualTo(503);
        }
    }

    @Test
    @LogsErrors
    void anActorThatFailsMeans500() throws Exception {
        Actor<HttpCall, HttpAnswer> actor = scope.anonymous().newActorWithReturn((HttpCall call) -> {
            if (call.path().equals("/gone")) {
                throw new HttpProblem(410, "gone");
            }
            throw new IOException("the secret");
        });
        var server = in(scope).embeddedHttpServer(local(),
                HttpRoutes.none().get("/{any}", HttpRoutes.asking(actor, LONG)));
        try (var client = new RawHttp(server)) {
            assertThat(client.get("/x").body()).startsWith("internal error ");
            assertThat(client.get("/gone").status()).isEqualTo(410);
        }
    }

    private static HttpRoutes asking(Actor<HttpCall, HttpAnswer> actor) {
        return HttpRoutes.none().route(HttpRoute.ANY, "/{path*}", HttpRoutes.asking(actor, LONG));
    }
}
