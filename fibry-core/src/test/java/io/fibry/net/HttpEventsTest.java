package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpEventsTest {
    private final ActorScope scope = ActorSystem.open("test");

    @AfterEach
    void closeScope() {
        scope.close();
    }

    @EveryStrategy
    void eventsArriveWhenTheyAreSent(Strategy strategy) throws Exception {
        try (var own = Scopes.on(strategy)) {
            BlockingQueue<String> toSend = new LinkedBlockingQueue<>();
            var server = in(own).embeddedHttpServer(local(), HttpRoutes.none().get("/{topic}",
                    call -> HttpAnswer.events(events -> {
                        events.send(call.parameter("topic") + " since "
                                + call.header("Last-Event-ID").orElse("ever"));
                        for (var next = toSend.take(); !next.equals("end"); next = toSend.take()) {
                            events.send("lines", "7", next);
                            events.ping();
                        }
                    })));
            try (var client = new RawHttp(server)) {
                client.send("GET /news HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 6\r\n\r\n");
                assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
                var headers = new StringBuilder();
                for (var line = client.line(); !line.isEmpty(); line = client.line()) {
                    headers.append(line).append('\n');
                }
                assertThat(headers.toString()).containsIgnoringCase("Content-Type: text/event-stream")
                        .containsIgnoringCase("Cache-Control: no-store");
                assertThat(client.chunk()).isEqualTo("data: news since 6\n\n");
                toSend.add("one\ntwo");
                assertThat(client.chunk()).isEqualTo("event: lines\nid: 7\ndata: one\ndata: two\n\n");
                assertThat(client.chunk()).isEqualTo(":\n\n");
                toSend.add("end");
                assertThat(client.chunk()).isEmpty();
                toSend.add("end");
                assertThat(client.get("/again").status()).isEqualTo(200).as("on the same connection");
            }
        }
    }

    @Test
    void aClientThatHasGoneIsNoticedByAPing() throws Exception {
        var failure = new CompletableFuture<Throwable>();
        var server = in(scope).embeddedHttpServer(local(),
                HttpRoutes.none().get("/", call -> HttpAnswer.events(events -> {
                    try {
                        while (true) {
                            events.ping();
                        }
                    } catch (IOException e) {
                        failure.complete(e);
                        throw e;
                    }
                })));
        try (var client = new RawHttp(server)) {
            client.send(RawHttp.GET);
            client.line();
        }
        Waits.on(failure);
        await().until(() -> server.connections() == 0);
    }

    @Test
    void anOpenStreamOfEventsEndsWithTheServer() throws Exception {
        var sending = new CountDownLatch(1);
        var time = new ManualTime();
        try (var own = ActorSystem.configure("own").time(time).open()) {
            var server = in(own).embeddedHttpServer(local(),
                    HttpRoutes.none().get("/", call -> HttpAnswer.events(events -> {
                        sending.countDown();
                        new CountDownLatch(1).await();
                    })));
            try (var client = new RawHttp(server)) {
                client.send(RawHttp.GET);
                Waits.on(sending);
                assertThat(Forced.stop(time, server::stop).stopped()).isTrue();
                assertThatThrownBy(client::receive).isInstanceOf(IOException.class);
            }
        }
    }

    /** Another thread could otherwise write into the answer to the next request. */
    @Test
    void nothingIsSentAfterTheEnd() throws Exception {
        var sent = new CompletableFuture<HttpEvents>();
        var out = new ByteArrayOutputStream();
        HttpAnswer.events(sent::complete).body().writeTo(out);
        assertThatThrownBy(() -> Waits.on(sent).send("late")).isInstanceOf(IOException.class)
                .hasMessageContaining("has ended");
        assertThatThrownBy(() -> Waits.on(sent).ping()).isInstanceOf(IOException.class);
        assertThat(out.size()).isZero();
    }

    @Test
    void namesAndIdsAreOneLine() {
        var events = new HttpEventStream(OutputStream.nullOutputStream());
        assertThatThrownBy(() -> events.send("a\nb", "", "x")).hasMessageContaining("name");
        assertThatThrownBy(() -> events.send("", "a\rb", "x")).hasMessageContaining("id");
    }
}
