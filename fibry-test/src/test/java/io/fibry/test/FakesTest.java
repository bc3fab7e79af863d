package io.fibry.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpProblem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FakesTest {
    private static void echo(Socket socket) throws IOException {
        try (socket; var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                socket.getOutputStream().write((line.toUpperCase(Locale.ROOT) + "\n").getBytes(UTF_8));
            }
        }
    }

    @Promise("53.11")
    @Test
    void aWorkerTalksWithoutAPort() throws Exception {
        try (var pair = SocketPair.open(); var scope = ActorScope.open("test")) {
            var worker = scope.anonymous().newActor(FakesTest::echo);
            worker.sendMessage(pair.server());
            var lines = new BufferedReader(new InputStreamReader(pair.client().getInputStream(), UTF_8));
            for (var line : new String[]{"one", "two"}) {
                pair.client().getOutputStream().write((line + "\n").getBytes(UTF_8));
                assertThat(lines.readLine()).isEqualTo(line.toUpperCase(Locale.ROOT));
            }
            pair.client().shutdownOutput();
            assertThat(lines.readLine()).isNull();
            ScopeAssertions.awaitIdle(scope);
            assertThat(pair.server().isClosed()).isTrue();
            ScopeAssertions.assertNothingLost(scope);
        }
    }

    @Promise("53.11")
    @Test
    void bytesArriveInOrderAndEndsAreSeen() throws Exception {
        try (var pair = SocketPair.open()) {
            var sent = new byte[100_000];
            for (var place = 0; place < sent.length; place++) {
                sent[place] = (byte) place;
            }
            pair.client().getOutputStream().write(sent);
            assertThat(pair.server().getInputStream().available()).isEqualTo(100_000);
            assertThat(pair.server().getInputStream().read()).isZero();
            pair.client().close();
            assertThat(pair.server().getInputStream().readAllBytes())
                    .isEqualTo(Arrays.copyOfRange(sent, 1, 100_000));
            assertThatThrownBy(() -> pair.server().getOutputStream().write(1))
                    .isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> pair.client().getInputStream()).isInstanceOf(SocketException.class);
        }
    }

    @Promise("53.11")
    @Test
    void aCloseAndAnInterruptEndARead() throws Exception {
        for (var byInterrupt : new boolean[]{true, false}) {
            try (var pair = SocketPair.open()) {
                var end = new CompletableFuture<Throwable>();
                var thread = Thread.ofPlatform().start(() -> {
                    try {
                        end.completeExceptionally(new AssertionError(pair.server().getInputStream().read()));
                    } catch (IOException e) {
                        end.complete(e);
                    }
                });
                Waits.parked(thread);
                if (byInterrupt) {
                    thread.interrupt();
                } else {
                    pair.server().close();
                }
                assertThat(Waits.on(end)).isInstanceOf(SocketException.class);
                Waits.on(thread);
            }
        }
    }

    @Promise("53.12")
    @EveryStrategy
    void aRequestIsAnsweredWithoutAServer(Strategy strategy) throws Exception {
        try (var scope = ActorScope.configure("test").strategy(strategy.create()).open();
                var recorder = Recorder.of(scope)) {
            var actor = scope.anonymous().newActorWithReturn((HttpCall call) -> {
                if (call.text().isEmpty()) {
                    throw new HttpProblem(400, "nothing is asked");
                }
                return HttpAnswer.text(call.method() + " " + call.path() + " " + call.parameter("id") + " "
                        + call.query("q").orElse("none") + " " + call.header("accept").orElse("none") + " "
                        + call.text()).status(201).header("Location", "/users/8");
            });
            var handler = HttpCallHandler.asking(actor, Duration.ofSeconds(20));
            var call = FakeHttpCall.of("POST", "/users/7?q=a%20b&r").withParameter("id", "7");
            var answer = call.withHeader("Accept", "text/plain").withText("häuser").answeredBy(handler);
            assertThat(answer.status()).isEqualTo(201);
            assertThat(answer.headers()).containsEntry("Location", "/users/8");
            assertThat(answer.text()).isEqualTo("POST /users/7 7 a b text/plain häuser");
            assertThat(call.query("r")).contains("");
            assertThat(call.query("s")).isEmpty();
            assertThat(call.answeredBy(handler)).isEqualTo(
                    new FakeHttpCall.Answer(400, Map.of(), "nothing is asked"));
            assertThatIllegalArgumentException().isThrownBy(() -> call.parameter("name"))
                    .withMessageContaining("withParameter");
            assertThatIllegalArgumentException().isThrownBy(() -> FakeHttpCall.of("GET", "users"))
                    .withMessageContaining("begins with /");
            assertThatThrownBy(call::exchange).isInstanceOf(UnsupportedOperationException.class);
            assertThat(recorder.events()).isNotEmpty();
        }
    }
}
