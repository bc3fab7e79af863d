package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
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

/** Clients that behave strangely, and what is left of them: nothing. */
@Promise("14.4")
class HttpClientsTest {
    private static final byte[] MUCH = new byte[20_000_000];
    private final ActorScope scope = ActorSystem.open("test");

    @AfterEach
    void closeScope() {
        scope.close();
    }

    @Test
    void aClientThatVanishesWhileItIsAnsweredEndsTheAnswer() throws Exception {
        var failure = new CompletableFuture<Throwable>();
        var server = in(scope).embeddedHttpServer(local(),
                HttpRoutes.none().get("/", call -> HttpAnswer.stream("text/plain", out -> {
                    try {
                        while (true) {
                            out.write(MUCH, 0, 10_000);
                        }
                    } catch (IOException e) {
                        failure.complete(e);
                        throw e;
                    }
                })));
        try (var client = new RawHttp(server)) {
            client.send(RawHttp.GET);
            assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
            client.socket.setSoLinger(true, 0); // a reset
        }
        assertThat(Waits.on(failure)).isInstanceOf(IOException.class);
        await().until(() -> server.connections() == 0);
    }

    @Test
    void aClientThatVanishesWhileItSendsIsNobodysFault() throws Exception {
        var failure = new CompletableFuture<Throwable>();
        var server = in(scope).embeddedHttpServer(local(), call -> {
            try {
                return "read " + call.body().readAllBytes().length;
            } catch (IOException e) {
                failure.complete(e);
                throw e;
            }
        });
        try (var log = new HttpFixture.Log()) {
            try (var client = new RawHttp(server)) {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
                client.socket.setSoLinger(true, 0);
            }
            assertThat(Waits.on(failure)).isInstanceOf(IOException.class);
            await().until(() -> server.connections() == 0);
            assertThat(log.events()).isEmpty();
        }
    }

    @EveryStrategy
    void aClientThatDoesNotReadIsCutOff(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(1);
        try (var own = Scopes.on(strategy, event -> {
        }, time)) {
            var ended = new CountDownLatch(1);
            var server = in(own).embeddedHttpServer(local().writeLimit(limit),
                    HttpRoutes.none().get("/bytes", call -> HttpAnswer.bytes("image/png", MUCH))
                            .get("/stream", call -> HttpAnswer.stream("image/png", out -> {
                                try {
                                    out.write(MUCH);
                                } finally {
                                    ended.countDown();
                                }
                            })));
            for (var path : new String[]{"/bytes", "/stream"}) {
                try (var client = new RawHttp(server)) {
                    client.send(RawHttp.GET.replace("/ ", path + " "));
                    await().until(() -> server.connections() == 1);
                    await().until(() -> {
                        time.advance(limit); // the first one may be too early for what begins to be written
                        return server.connections() == 0;
                    });
                    assertThatThrownBy(client::receive).isInstanceOf(IOException.class);
                }
            }
            Waits.on(ended);
        }
    }

    /** For far longer than the limit, but never for as long as that without a piece. */
    @Test
    void aClientThatReadsSlowlyGetsEverything() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofSeconds(10);
        var pieces = 400; // more than the systems on both sides buffer
        var written = new AtomicInteger();
        try (var own = ActorSystem.configure("own").time(time).open();
                var server = in(own).embeddedHttpServer(local().writeLimit(limit),
                        HttpRoutes.none().get("/", call -> HttpAnswer.stream("image/png", out -> {
                            for (int i = 0; i < pieces; i++) {
                                out.write(MUCH, 0, 64 * 1024);
                                written.incrementAndGet();
                            }
                        })));
                var client = new RawHttp(server)) {
            client.send(RawHttp.GET.replace("1.1", "1.0"));
            var bytes = new byte[64 * 1024];
            var read = 0L;
            while (read < 64L * 1024 * pieces) {
                var before = written.get();
                while (written.get() == before && before < pieces) {
                    read += client.socket.getInputStream().read(bytes);
                }
                if (written.get() < pieces) {
                    time.advance(limit.dividedBy(2));
                } else { // the clock stands, or the server would close, and the system may drop the rest for want of memory
                    read += client.socket.getInputStream().readAllBytes().length;
                }
            }
            assertThat(written).hasValue(pieces);
        }
    }

    @Test
    void aClientThatClosesItsSideStillGetsItsAnswer() throws Exception {
        var go = new CountDownLatch(1);
        var server = in(scope).embeddedHttpServer(local(), call -> {
            go.await();
            return "still there";
        });
        try (var client = new RawHttp(server)) {
            client.send(RawHttp.GET);
            client.socket.shutdownOutput();
            await().until(() -> server.connections() == 1);
            go.countDown();
            assertThat(client.receive().body()).isEqualTo("still there");
            assertThat(client.isOver()).isTrue();
        }
    }

    @Test
    void requestsMayComeInOnePieceOrByteByByte() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), exchange -> "Hello");
        try (var client = new RawHttp(server)) {
            client.send(RawHttp.GET.repeat(50));
            for (int i = 0; i < 50; i++) {
                assertThat(client.receive().body()).isEqualTo("Hello");
            }
            for (var c : RawHttp.GET.toCharArray()) {
                client.send(String.valueOf(c));
            }
            assertThat(client.receive().body()).isEqualTo("Hello");
        }
    }

    @Test
    @Promise("14.6")
    void noSocketIsLeftOfClientsThatComeAndGo() throws Exception {
        warmUp();
        var before = HttpFixture.descriptors();
        var server = in(scope).embeddedHttpServer(local(), exchange -> "Hello");
        for (int i = 0; i < 300; i++) {
            try (var client = new RawHttp(server)) {
                client.send(RawHttp.GET.substring(0, i % RawHttp.GET.length()));
                switch (i % 3) {
                    case 0 -> client.socket.setSoLinger(true, 0);
                    case 1 -> client.socket.shutdownOutput();
                    default -> client.send("\r\n\r\n");
                }
            }
        }
        server.close();
        await().untilAsserted(() -> assertThat(HttpFixture.descriptors()).isLessThanOrEqualTo(before + 3));
    }

    private void warmUp() throws IOException {
        var server = in(scope).embeddedHttpServer(local(), exchange -> "Hello");
        try (var client = new RawHttp(server)) {
            client.get("/");
        }
        server.close();
    }
}
