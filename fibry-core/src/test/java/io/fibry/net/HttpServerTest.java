package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** One handler that answers with texts. */
class HttpServerTest {
    private final ActorScope scope = ActorSystem.open("test");

    @AfterEach
    void closeScope() {
        scope.close();
    }

    @Test
    void aTextIsTheAnswer() throws Exception {
        var server =
                in(scope).embeddedHttpServer(local(), call -> "Grüße von " + call.uri());
        try (var client = new RawHttp(server)) {
            for (int i = 0; i < 3; i++) { // on one connection
                var answer = client.get("/" + i);
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("Content-Type")).isEqualTo("text/plain; charset=utf-8");
                assertThat(answer.body()).isEqualTo("Grüße von /" + i);
            }
        }
    }

    @EveryStrategy
    void handlersRunOnTheChosenStrategy(Strategy strategy) throws Exception {
        try (var own = Scopes.on(strategy)) {
            var thread = new CompletableFuture<Thread>();
            var server = in(own).embeddedHttpServer(local(), call -> {
                thread.complete(Thread.currentThread());
                return "here";
            });
            try (var client = new RawHttp(server)) {
                assertThat(client.get("/").body()).isEqualTo("here");
            }
            var wantsFiber = strategy == Strategy.FIBERS || strategy == Strategy.CALLER;
            assertThat(Waits.on(thread).isVirtual()).isEqualTo(wantsFiber);
        }
    }

    @Test
    void nothingOfOneRequestIsLeftToTheNext() throws Exception {
        var user = new ThreadLocal<String>();
        try (var own = ActorSystem.configure("own").carry(ContextCarrier.of(user)).open();
                var client = new RawHttp(Stereotypes.with(own.anonymous().strategy(CreationStrategy.fibers()))
                        .embeddedHttpServer(local(), call -> {
                            var thread = Thread.currentThread();
                            var seen = MDC.get("user") + " " + user.get() + " " + thread.isInterrupted() + " "
                                    + (thread.getContextClassLoader() == null);
                            MDC.put("user", "first");
                            user.set("first");
                            thread.setContextClassLoader(null);
                            thread.interrupt();
                            return seen;
                        }))) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.get("/").body()).isEqualTo("null null false false");
            }
        }
    }

    /** A client would not know which of two lengths counts. */
    @Test
    void theLengthOfAnAnswerIsToldOnce() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), HttpRoutes.none().get("/text", call -> HttpAnswer
                .text("Hello").header("Content-Length", "99").header("Transfer-Encoding", "gzip")));
        try (var client = new Client(server)) {
            var answer = client.send("GET /text HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").rest();
            assertThat(answer).containsOnlyOnce("Content-Length").contains("Content-Length: 5\r\n")
                    .doesNotContain("Transfer-Encoding");
        }
    }

    @Test
    void aHeadRequestGetsTheHeadersOnly() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), call -> "Hello World!");
        try (var client = new RawHttp(server)) {
            var head = client.ask("HEAD", "/");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isEqualTo("12");
            assertThat(client.get("/").body()).isEqualTo("Hello World!");
        }
    }

    /** A client would take the content for the beginning of the next answer. */
    @ParameterizedTest
    @CsvSource({"HEAD,200,4,4", "HEAD,200,-1,", "GET,204,4,", "GET,204,-1,", "GET,304,4,4", "GET,304,-1,"})
    void contentIsLeftOutWhereThereIsNone(String method, int status, int length, String announced)
            throws Exception {
        var done = new HttpBody() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                out.write("done".getBytes());
            }

            @Override
            public long length() {
                return length;
            }
        };
        var server = in(scope).embeddedHttpServer(local(), HttpRoutes.none()
                .get("/", call -> {
                    var answer = new HttpAnswer(status, List.of(), done);
                    return announced == null ? answer : answer.header("Content-Length", announced);
                })
                .get("/next", call -> HttpAnswer.text("next")));
        try (var client = new RawHttp(server)) {
            var answer = client.send(method + " / HTTP/1.1\r\nHost: x\r\n\r\n").receive(false);
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.header("Content-Length")).isEqualTo(announced);
            assertThat(answer.header("Transfer-Encoding")).isNull();
            assertThat(client.get("/next").body()).isEqualTo("next");
        }
    }

    @Test
    void anEmptyTextIsAnAnswer() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), call -> "");
        try (var client = new RawHttp(server)) {
            assertThat(client.get("/").header("Content-Length")).isEqualTo("0");
            assertThat(client.get("/").status()).isEqualTo(200);
        }
    }

    @Test
    void aClientOfHttp10KeepsItsConnectionIfItAsks() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), call -> "Hello");
        try (var client = new RawHttp(server)) {
            for (int i = 0; i < 3; i++) {
                var answer = client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").receive();
                assertThat(answer.header("Connection")).isEqualToIgnoringCase("keep-alive");
            }
            client.send("GET / HTTP/1.0\r\n\r\n").receive();
            assertThat(client.isOver()).isTrue();
        }
    }

    /** The content ends with the connection, so that a part would look like the whole if the connection ended in order. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Promise("14.2")
    void aClientOfHttp10SeesThatAnAnswerHasBrokenOff(boolean fails) throws Exception {
        var server = in(scope).embeddedHttpServer(local(),
                HttpRoutes.none().get("/", call -> HttpAnswer.stream("text/plain", out -> {
                    out.write("a part".getBytes());
                    out.flush();
                    if (fails) {
                        throw new IOException("as it must");
                    }
                    new CountDownLatch(1).await();
                })));
        try (var client = new RawHttp(server).send("GET / HTTP/1.0\r\n\r\n")) {
            if (!fails) {
                client.line();
                server.close();
            }
            assertThatThrownBy(() -> client.socket.getInputStream().readAllBytes())
                    .isInstanceOf(SocketException.class);
        }
    }

    @Test
    @LogsErrors
    @Promise("14.2")
    void aFailureIsA500WithAnIdThatStandsInTheLog() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), call -> {
            switch (call.uri().getPath()) {
                case "/checked" -> throw new IOException("the secret");
                case "/error" -> throw new StackOverflowError("the secret");
                default -> {
                    return null;
                }
            }
        });
        try (var log = new HttpFixture.Log(); var client = new RawHttp(server)) {
            for (var path : new String[]{"/checked?password=1", "/error", "/nothing"}) {
                var answer = client.get(path);
                assertThat(answer.status()).isEqualTo(500);
                assertThat(answer.body()).matches("internal error [0-9a-z]+-[0-9]+\n");
                var id = answer.body().strip().substring("internal error ".length());
                var logged = log.events().getLast();
                assertThat(logged.getFormattedMessage()).contains("request " + id + " failed: GET /")
                        .doesNotContain("password");
                assertThat(logged.getThrowableProxy()).isNotNull();
            }
            assertThat(log.events()).hasSize(3);
        }
    }

    @Test
    void aProblemIsAnsweredWithItsStatusAndText() throws Exception {
        var server = in(scope).embeddedHttpServer(local(), call -> {
            throw new HttpProblem(409, "somebody was faster", new IOException("the secret"));
        });
        try (var client = new RawHttp(server)) {
            var answer = client.get("/");
            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.body()).isEqualTo("somebody was faster\n");
            assertThat(client.get("/").status()).isEqualTo(409);
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (var taken = new ServerSocket(0)) {
            var before = HttpFixture.descriptors();
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(
                        () -> in(scope).embeddedHttpServer(taken.getLocalPort(), call -> "never"))
                        .isInstanceOf(UncheckedIOException.class)
                        .hasMessageContainingAll("cannot listen on", ":" + taken.getLocalPort(), "in use",
                                "choose another port");
            }
            assertThat(HttpFixture.descriptors()).isLessThan(before + 10);
        }
    }

    @Test
    void aNameThatIsTakenStartsNoServer() {
        var first = scope.named("web").newActor((String message) -> {
        });
        var web = Stereotypes.with(scope.named("web"));
        assertThatThrownBy(() -> web.embeddedHttpServer(local(), call -> "never"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("web");
        first.close();
        var server = web.embeddedHttpServer(local(), call -> "now");
        assertThat(scope.find(ActorName.of("web"))).isPresent();
        server.close();
        assertThat(scope.find(ActorName.of("web"))).isEmpty();
    }

    @Test
    @Promise("14.1")
    void aThousandBlockedHandlersAnswerAll() throws Exception {
        int count = 1_000;
        var all = new CountDownLatch(count);
        var server = in(scope).embeddedHttpServer(local(), call -> {
            all.countDown();
            all.await(); // nobody is answered before everybody is here
            return "together";
        });
        var clients = new ArrayList<RawHttp>();
        try {
            for (int i = 0; i < count; i++) {
                var client = new RawHttp(server);
                clients.add(client);
                client.send(RawHttp.GET);
            }
            for (var client : clients) {
                assertThat(client.receive().body()).isEqualTo("together");
            }
            for (var client : clients) { // and none of the idle ones was closed
                client.send(RawHttp.GET);
            }
            for (var client : clients) {
                assertThat(client.receive().status()).isEqualTo(200);
            }
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }
}
