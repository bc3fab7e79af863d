package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.Promise;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A page in a real browser: Chromium or Chrome, without a window. No repository of Maven's has one, so this is skipped, and
 * says so, where none is on the PATH or named by the environment variable {@code FIBRY_BROWSER}; the thorough build fails there.
 */
class BrowserTest {
    private static final List<String> BROWSERS =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

    private static Optional<Path> browser() {
        var named = System.getenv("FIBRY_BROWSER");
        if (named != null) {
            return Optional.of(Path.of(named));
        }
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator)).map(Path::of)
                .flatMap(folder -> BROWSERS.stream().map(folder::resolve)).filter(Files::isExecutable)
                .findFirst();
    }

    @Promise({"17.1", "17.2", "17.4"})
    @Test
    void aPageTalksThroughAWebSocket(@TempDir Path profile) throws Exception {
        var browser = browser();
        var missing = "no browser is installed (" + BROWSERS + "); set FIBRY_BROWSER to one";
        if (Boolean.getBoolean("fibry.thorough")) {
            assertThat(browser).as("the thorough build skips nothing, but " + missing).isPresent();
        }
        assumeTrue(browser.isPresent(), missing);
        var said = new CompletableFuture<String>();
        var heard = new Heard() {
            @Override
            public void text(WebSocket socket, String text) throws Exception {
                super.text(socket, text);
                socket.send(text.toUpperCase(java.util.Locale.ROOT));
                if (text.equals("last")) {
                    socket.close(4_000, "that is all");
                }
            }

            @Override
            public void binary(WebSocket socket, byte[] bytes) throws Exception {
                super.binary(socket, bytes);
                socket.send(bytes);
            }
        };
        try (var scope = ActorSystem.open("browser")) {
            var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none()
                    .get("/socket",
                            WebSocketRoute.of(heard).with(WebSocketOptions.standard().protocols("shout")))
                    .post("/said", call -> {
                        said.complete(call.text());
                        return HttpAnswer.empty(204);
                    })
                    .get("/{path*}", WebResources.beside(BrowserTest.class, "pages")));
            var command = new ArrayList<>(List.of(browser.get().toString(), "--headless=new", "--no-sandbox",
                    "--disable-gpu", "--no-first-run", "--user-data-dir=" + profile.resolve("profile"),
                    "http://127.0.0.1:" + server.port() + "/"));
            var process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(profile.resolve("log").toFile()).start();
            try {
                assertThat(said.get(60, TimeUnit.SECONDS)).isEqualTo("opened shout | HELLO \u00c4\ud83d\ude00"
                        + " | 70000 bytes, 6 | 200000 chars | LAST | closed 4000 that is all true");
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            assertThat(heard.next()).isEqualTo("opened");
        }
        assertThat(heard.rest()).contains("binary 70000", "closed 4000");
    }
}
