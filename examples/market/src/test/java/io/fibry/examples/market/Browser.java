package io.fibry.examples.market;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A real browser without a window, driven over its DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome",
            "google-chrome-stable");
    private static final Pattern ID = Pattern.compile("^\\{\"id\":(\\d+),");
    private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<Integer, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final Process process;
    private final Path profile;
    private final WebSocket devTools;

    /** A tab. */
    final class Tab {
        private final String session;

        private Tab(String url) throws Exception {
            var target = field("targetId", call("Target.createTarget", "{\"url\":\"" + url + "\"}", ""));
            session = field("sessionId",
                    call("Target.attachToTarget", "{\"targetId\":\"" + target + "\",\"flatten\":true}", ""));
        }

        /** The value of an expression, as text. */
        String see(String expression) throws Exception {
            var code = "encodeURIComponent(String(" + expression + "))";
            var answer =
                    call("Runtime.evaluate", "{\"expression\":" + PageMessages.text(code) + "}", session);
            var value = VALUE.matcher(answer);
            if (!value.find()) {
                throw new AssertionError(expression + " failed: " + answer);
            }
            return URLDecoder.decode(value.group(1).replace("+", "%2B"), StandardCharsets.UTF_8);
        }
    }

    private Browser(Process process, Path profile, String address) {
        this.process = process;
        this.profile = profile;
        devTools = client.newWebSocketBuilder().buildAsync(URI.create(address), new WebSocket.Listener() {
            private final StringBuilder text = new StringBuilder();

            @Override
            public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
                text.append(data);
                if (last) {
                    var id = ID.matcher(text);
                    if (id.find()) {
                        answers.remove(Integer.parseInt(id.group(1))).complete(text.toString());
                    }
                    text.setLength(0);
                }
                socket.request(1);
                return CompletableFuture.completedStage(null);
            }
        }).join();
    }

    /** Starts a browser; empty if none is installed. */
    static Optional<Browser> start() throws IOException {
        var found = Stream.of(System.getenv("PATH").split(":")).flatMap(folder -> NAMES.stream()
                .map(name -> Path.of(folder, name))).filter(Files::isExecutable).findFirst();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var profile = Files.createTempDirectory("browser");
        var process =
                new ProcessBuilder(found.get().toString(), "--headless=new", "--no-sandbox", "--disable-gpu",
                        "--disable-quic", "--no-first-run", "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync", "--remote-debugging-port=0", "--user-data-dir=" + profile,
                        "about:blank")
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        var says =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
        for (var line = says.readLine(); line != null; line = says.readLine()) {
            if (line.startsWith("DevTools listening on ")) {
                Thread.startVirtualThread(() -> drain(says));
                return Optional
                        .of(new Browser(process, profile, line.substring("DevTools listening on ".length())));
            }
        }
        throw new IOException(
                found.get() + " did not start: exit code " + process.onExit().join().exitValue());
    }

    private static void drain(BufferedReader says) {
        try (says) {
            while (says.readLine() != null) {
                // a full pipe would stop it
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Tab open(String url) throws Exception {
        return new Tab(url);
    }

    private String call(String method, String parameters, String session) throws Exception {
        var answer = new CompletableFuture<String>();
        int id = ids.incrementAndGet();
        answers.put(id, answer);
        devTools.sendText("{\"id\":%d,\"method\":\"%s\",\"params\":%s%s}".formatted(id, method, parameters,
                session.isEmpty() ? "" : ",\"sessionId\":\"" + session + "\""), true).join();
        return answer.get(60, TimeUnit.SECONDS);
    }

    private static String field(String name, String json) {
        var found = Pattern.compile("\"" + name + "\":\"([^\"]+)\"").matcher(json);
        if (!found.find()) {
            throw new AssertionError("there is no " + name + " in " + json);
        }
        return found.group(1);
    }

    @Override
    public void close() throws IOException {
        client.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
        try (var files = Files.walk(profile)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
        }
    }
}
