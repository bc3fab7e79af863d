package io.fibry.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.event.Failed;
import io.fibry.net.Connection;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Routes and connections of servers, tested without a port. */
class FakeClientsTest {
    private static HttpRoutes shop() {
        var api = HttpRoutes.none()
                .get("/items/{id}",
                        call -> HttpAnswer.text(call.parameter("id") + " " + call.query("q").orElse("-")))
                .post("/items", call -> HttpAnswer.empty(201).header("Location", "/items/" + call.text()))
                .get("/broken", call -> {
                    throw new IllegalStateException("secret");
                })
                .get("/refused", call -> {
                    throw new HttpProblem(409, "sold out");
                })
                .before(call -> {
                    if (call.header("Authorization").isEmpty()) {
                        throw new HttpProblem(401, "who are you?");
                    }
                });
        return HttpRoutes.none().under("/api", api).after((call, answer) -> answer.header("X-Shop", "tea"));
    }

    private static FakeHttpCall asAnn(String method, String path) {
        return FakeHttpCall.of(method, path).withHeader("Authorization", "ann");
    }

    @Promise("53.13")
    @LogsErrors
    @EveryStrategy
    void requestsTakeTheWayOfAServer(Strategy strategy) throws Exception {
        try (var scope = ActorScope.configure("test").strategy(strategy.create()).open();
                var client = FakeHttpClient.of(scope, HttpOptions.localPort(0).bodyBytes(10), shop())) {
            var tea = client.send(asAnn("GET", "/api/items/gr%C3%BCn?q=1").withHeader("Accept", "*/*"));
            assertThat(tea.text()).isEqualTo("grün 1");
            assertThat(tea.status()).isEqualTo(200);
            assertThat(tea.header("x-shop")).contains("tea");
            assertThat(client.send(asAnn("POST", "/api/items").withText("milk")).header("Location"))
                    .contains("/items/milk");
            assertThat(client.send(FakeHttpCall.of("GET", "/api/items/tea")).status()).isEqualTo(401);
            assertThat(client.send(asAnn("GET", "/api/refused")).text()).contains("sold out");
            assertThat(client.send(asAnn("GET", "/nothing")).status()).isEqualTo(404);
            assertThat(client.send(asAnn("DELETE", "/api/items")).header("Allow")).contains("OPTIONS, POST");
            assertThat(client.send(asAnn("POST", "/api/items").withText("a long content")).status())
                    .isEqualTo(413);
            var head = client.send(asAnn("HEAD", "/api/items/tea"));
            assertThat(head.text()).isEmpty();
            assertThat(head.header("Content-Length")).contains("5");
            var broken = client.send(asAnn("GET", "/api/broken"));
            assertThat(broken.status()).isEqualTo(500);
            assertThat(broken.text()).contains("internal error").doesNotContain("secret");
        }
    }

    @Promise("53.13")
    @Test
    void aHandlerThatBreaksItsAnswerOffIsSeenAsSuch() {
        var routes = HttpRoutes.none().get("/", call -> HttpAnswer.stream("text/plain", out -> {
            out.write('x');
            throw new IOException("as the test wants it");
        }));
        try (var scope = ActorScope.open("test"); var client = FakeHttpClient.of(scope, routes)) {
            assertThatThrownBy(() -> client.send(FakeHttpCall.of("GET", "/"))).isInstanceOf(IOException.class)
                    .hasMessageContaining("GET /: the answer broke off");
        }
    }

    @Promise("53.13")
    @Test
    void anAnswerThatDoesNotComeFailsTheTestWithTheDump() throws Exception {
        var never = new CountDownLatch(1);
        try (var scope = ActorScope.open("test")) {
            var stock = scope.named("stock").newActorWithReturn((String item) -> {
                never.await();
                return 1;
            });
            var routes = HttpRoutes.none().get("/", call -> HttpAnswer.text("" + stock.apply("tea")));
            try (var client = FakeHttpClient.of(scope, routes)) {
                assertThatThrownBy(() -> client.send(FakeHttpCall.of("GET", "/"), Duration.ofMillis(50)))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContainingAll("no answer to GET / within PT0.05S", "'stock'");
                assertThatThrownBy(() -> client.send(FakeHttpCall.of("GET", "/"), Duration.ZERO))
                        .isInstanceOf(IllegalArgumentException.class);
                never.countDown();
            }
        }
    }

    /** Two clients take the last item: the handlers read and write what no actor owns. */
    @Promise("53.13")
    @Test
    void aScheduleFindsAMistakeOfHandlers() {
        ScheduledBody program = schedule -> {
            var left = new AtomicInteger(1);
            var sold = new CopyOnWriteArrayList<Integer>();
            var routes = HttpRoutes.none().post("/", call -> {
                if (left.get() == 0) {
                    throw new HttpProblem(409, "sold out");
                }
                schedule.pause();
                left.set(left.get() - 1);
                return HttpAnswer.empty(201);
            });
            try (var client = FakeHttpClient.of(schedule.scope(), routes)) {
                var buyers = List.of("ann", "bob").stream().map(name -> schedule.start(name,
                        () -> sold.add(client.send(FakeHttpCall.of("POST", "/")).status()))).toList();
                for (var buyer : buyers) {
                    buyer.join();
                }
            }
            assertThat(sold).containsExactlyInAnyOrder(201, 409);
        };
        var found = catchThrowableOfType(ScheduleFailedError.class, () -> TestSchedule.explore(200, program));
        assertThat(found).as("a schedule in which the item is sold twice").isNotNull();
        assertThat(found.getCause()).hasMessageContaining("201");
        assertThat(catchThrowableOfType(ScheduleFailedError.class,
                () -> TestSchedule.replay(found.seed(), program))).isNotNull();
    }

    private static void echo(Socket socket) throws IOException {
        var lines = lines(socket);
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            write(socket, "echo " + line);
        }
    }

    private static BufferedReader lines(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    private static void write(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(UTF_8));
    }

    @Promise("53.14")
    @EveryStrategy
    void aWorkerServesClientsWithoutAPort(Strategy strategy) throws Exception {
        try (var scope = ActorScope.configure("test").strategy(strategy.create()).open();
                var clients = FakeTcpClient.of(scope, FakeClientsTest::echo)) {
            for (var name : List.of("ann", "bob")) {
                var client = clients.connect();
                write(client, name);
                assertThat(lines(client).readLine()).isEqualTo("echo " + name);
                client.close();
            }
            Waits.until("the clients are gone", () -> clients.server().connections() == 0);
            ScopeAssertions.assertNothingLost(scope);
            clients.server().close();
            assertThatThrownBy(clients::connect).isInstanceOf(SocketException.class)
                    .hasMessageContaining("refused");
        }
    }

    /** A room for a chat: what one client says, all hear. */
    private static FakeTcpClient room(ActorScope scope, List<Actor<String, Void>> members) {
        return FakeTcpClient.of(scope, (Connection<String> connection) -> {
            members.add(connection.actor());
            var lines = lines(connection.socket());
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                var said = line;
                members.forEach(member -> member.sendMessage(said));
            }
        }, (connection, line) -> write(connection.socket(), line));
    }

    @Promise("53.14")
    @EveryStrategy
    void connectionsTakeMessages(Strategy strategy) throws Exception {
        var members = new CopyOnWriteArrayList<Actor<String, Void>>();
        try (var scope = ActorScope.configure("test").strategy(strategy.create()).open();
                var clients = room(scope, members)) {
            var ann = clients.connect();
            var bob = clients.connect();
            Waits.until("both are in", () -> members.size() == 2);
            write(ann, "hello");
            assertThat(lines(bob).readLine()).isEqualTo("hello");
            assertThat(lines(ann).readLine()).isEqualTo("hello");
            bob.shutdownOutput();
            assertThat(lines(bob).readLine()).isNull();
            clients.server().close();
            assertThat(lines(ann).readLine()).isNull();
        }
    }

    @Promise("53.14")
    @Test
    void theFailureOfAWorkerIsReported() throws Exception {
        try (var scope = ActorScope.open("test");
                var recorder = Recorder.of(scope);
                var clients = FakeTcpClient.of(scope, (Socket socket) -> {
                    throw new IllegalStateException("as the test wants it");
                })) {
            var client = clients.connect();
            assertThat(recorder.expect(Failed.class).cause()).hasMessage("as the test wants it");
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Promise("53.14")
    @Test
    void connectionsAreAPartOfASchedule() {
        TestSchedule.explore(50, schedule -> {
            var members = new CopyOnWriteArrayList<Actor<String, Void>>();
            try (var clients = room(schedule.scope(), members)) {
                var ann = clients.connect();
                var bob = clients.connect();
                schedule.awaitQuiet();
                write(ann, "hello");
                assertThat(lines(bob).readLine()).isEqualTo("hello");
            }
        });
    }

    @Promise("53.13")
    @Test
    void aHandlerThatAsksAnActorIsAnsweredThere() throws Exception {
        try (var scope = ActorScope.open("test")) {
            var actor = scope.anonymous().newActorWithReturn((HttpCall call) -> HttpAnswer.text(call.path()));
            var routes =
                    HttpRoutes.none().get("/{path*}", HttpCallHandler.asking(actor, Duration.ofSeconds(20)));
            try (var client = FakeHttpClient.of(scope, routes)) {
                assertThat(client.send(FakeHttpCall.of("GET", "/a/b")).text()).isEqualTo("/a/b");
            }
        }
    }
}
