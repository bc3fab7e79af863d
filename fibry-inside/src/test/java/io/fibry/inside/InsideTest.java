package io.fibry.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The server: what it answers, and that nothing is left of it. Each test fails if it leaves a thread or a timer. */
class InsideTest {
    private static final int MANY = Boolean.getBoolean("fibry.thorough") ? 1_000_000 : 100_000;

    @Promise("54.1")
    @Test
    void aSampleHasScopesActorsAndChains() throws Exception {
        var paid = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var scope = ActorSystem.open("till <1>");
        try (var inside = Inside.open(0)) {
            var bank = scope.named("bank").newActorWithReturn((String order) -> {
                begun.countDown();
                paid.await();
                return order;
            });
            var door = scope.named("door").newActor((String order) -> {
                bank.apply(order);
            });
            door.sendMessage("tea");
            Waits.on(begun);
            Waits.until("the door waits", () -> !scope.dump().waits().isEmpty());

            var now = Asked.get(inside, "/now");
            assertThat(now.header("content-type")).isEqualTo("application/json");
            assertThat(now.content())
                    .contains("\"till \\u003c1\\u003e\"", "\"waits\":[{\"actors\":[\"door\",\"bank\"]",
                            "\"ending\":\"blocked\"")
                    .doesNotContain(Inside.SCOPE);
            var id = now.content().replaceAll("(?s).*\\[\"([0-9a-f]+)\",1,\"till .*", "$1");
            var actors = Asked.get(inside, "/actors?scope=" + id).content();
            assertThat(actors).contains("\"shown\":2", "\"name\":\"bank\"", "\"waitsFor\":[\"bank\"]",
                    "InsideTest");
            assertThat(Asked.get(inside, "/actors?scope=" + id + "&from=1").content()).contains("\"from\":1")
                    .containsOnlyOnce("\"handler\":");
            assertThat(Asked.get(inside, "/actors?scope=" + id + "&from=999").content())
                    .contains("\"rows\":[]");
            assertThat(Asked.get(inside, "/actors?scope=none").status()).isEqualTo(404);
            assertThat(Asked.get(inside, "/dump.txt").content()).contains("'door' -> 'bank'")
                    .doesNotContain(Inside.SCOPE);
            assertThat(Asked.get(inside, "/dump.json").content()).startsWith("{\"takenAt\":");
        } finally {
            paid.countDown();
            scope.close();
        }
    }

    @Promise("54.2")
    @Test
    void nothingCanBeChangedAndNothingElseIsServed() throws IOException {
        try (var inside = Inside.open(0)) {
            for (var method : List.of("POST", "PUT", "DELETE", "PATCH")) {
                assertThat(Asked.ask(inside, method, "/now", "").status()).as(method).isEqualTo(405);
                assertThat(Asked.ask(inside, method, "/", "").status()).as(method).isEqualTo(405);
            }
            assertThat(Asked.ask(inside, "TRACE", "/", "").status()).isGreaterThanOrEqualTo(400);
            for (var path : List.of("/none", "/page.html", "/now/", "//now", "/../page.js",
                    "/io/fibry/inside/page.js",
                    "/LivePage.class")) {
                assertThat(Asked.get(inside, path).status()).as(path).isBetween(400, 404);
            }
            for (var bad : List.of("point=x", "event=-1", "scopes=1e3", "point=" + "9".repeat(30))) {
                assertThat(Asked.get(inside, "/now?run=x&" + bad).status()).as(bad)
                        .isEqualTo(bad.startsWith("point") ? 200 : 400); // a point of another run is not read
            }
            assertThat(Asked.ask(inside, "GET", "/now", "content").status()).isEqualTo(413);
            assertThat(Asked.get(inside, "/now", "X-Long: " + "x".repeat(20_000)).status()).isEqualTo(431);
            assertThat(Asked.get(inside, "/now?run=" + "x".repeat(20_000)).status()).isEqualTo(414);
            assertThat(Asked.get(inside, "/now", Collections.nCopies(65, "X-Many: 1").toArray(String[]::new))
                    .status()).isEqualTo(431);
        }
    }

    @Promise("54.2")
    @Test
    void requestsBeyondThirtyTwoAtATimeAreRefused() throws Exception {
        var go = new CountDownLatch(1);
        var sockets = new ArrayList<Socket>();
        var inside =
                LivePage.open(InsideOptions.localPort(0), ActorSystem.configure(Inside.SCOPE), options -> {
                    await(go);
                    return Dumps.of(Instant.EPOCH, Dumps.scope("root", 0, 0, 0));
                });
        try (inside) {
            for (int i = 0; i < 64; i++) {
                var socket = new Socket("127.0.0.1", inside.port());
                sockets.add(socket);
                socket.getOutputStream().write("GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
            }
            // No request looks, since that would take a place as well.
            Waits.until("half of them are refused",
                    () -> sockets.stream().filter(InsideTest::isAnswered).count() >= 32);
            assertThat(status(inside, "/icon.svg")).isEqualTo(503);
            go.countDown();
            var answers = new ArrayList<String>();
            for (var socket : sockets) {
                answers.add(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII));
            }
            assertThat(answers).filteredOn("HTTP/1.1 200"::equals).hasSize(32);
            assertThat(answers).filteredOn("HTTP/1.1 503"::equals).hasSize(32);
            Waits.until("they are answered", () -> status(inside, "/icon.svg") == 200);
        } finally {
            go.countDown();
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    private static boolean isAnswered(Socket socket) {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            Waits.on(latch);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int status(Inside inside, String path) {
        try {
            return Asked.get(inside, path).status();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Promise("54.1")
    @Test
    void veryManyIdleActorsFitIntoASmallSample() throws IOException {
        try (var scope = ActorSystem.open("many"); var inside = Inside.open(0)) {
            var builder = scope.anonymous();
            var kept = new ArrayList<Object>(MANY);
            for (int i = 0; i < MANY; i++) {
                kept.add(builder.newActor((String message) -> {
                }));
            }
            for (int i = 0; i < 250; i++) {
                kept.add(scope.child("inner " + i).open());
            }
            var now = Asked.get(inside, "/now").content();
            System.out.println(
                    "a sample of " + MANY + " idle actors: " + now.replaceAll(".*\"took\":([0-9.]+).*", "$1")
                            + " ms, " + now.length() + " characters");
            assertThat(now).contains("," + MANY + ",", "\"allScopes\":252", "\"fromScope\":0")
                    .hasSizeLessThan(30_000);
            assertThat(now).contains("\"inner 0\"").doesNotContain("\"inner 99\"");
            assertThat(Asked.get(inside, "/now?scopes=200").content())
                    .contains("\"fromScope\":200", "\"inner 99\"")
                    .doesNotContain("\"inner 0\"");
            assertThat(kept).hasSize(MANY + 250);
        }
    }

    @Promise("54.8")
    @Test
    void aCloseLeavesNothingAndCanBeRepeated() throws IOException {
        var inside = Inside.open(0);
        assertThat(Asked.get(inside, "/now").status()).isEqualTo(200);
        try (var idle = new Socket("127.0.0.1", inside.port())) {
            assertThat(inside.port()).isPositive();
            inside.close();
            inside.close();
            assertThat(isOver(idle)).isTrue();
        }
        assertThatThrownBy(() -> Asked.get(inside, "/")).isInstanceOf(IOException.class);
        assertThat(inside.address()).hasToString("http://127.0.0.1:" + inside.port() + "/");
        assertThat(isThere()).isFalse();
    }

    private static boolean isThere() {
        return ActorSystem.root().dump().scope().scopes().stream()
                .anyMatch(scope -> scope.name().equals(Inside.SCOPE));
    }

    /** A connection that the server had not yet taken from the system is reset. */
    private static boolean isOver(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Promise("54.8")
    @Test
    void aPortThatIsTakenIsNamedAndLeavesNothing() throws IOException {
        try (var taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> Inside.open(taken.getLocalPort()))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(String.valueOf(taken.getLocalPort()));
            assertThat(isThere()).isFalse();
        }
    }

    @Promise("54.8")
    @Test
    void anActorCanOpenAndCloseThePage() throws Exception {
        try (var scope = ActorSystem.open("opener")) {
            var opener = scope.named("opener").newActorWithReturn((String what) -> {
                try (var inside = Inside.open(0)) {
                    return Asked.get(inside, "/now").status();
                }
            });
            assertThat(Waits.on(opener.sendMessageReturn("open"))).isEqualTo(200);
        }
        Waits.until("the page has gone, which its actor did not wait for", () -> !isThere());
    }
}
