package io.fibry.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Chromium or Chrome without a window, driven over its DevTools protocol. It is on the PATH, or named by the environment
 * variable {@code FIBRY_BROWSER}.
 */
public final class Browser implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome",
            "google-chrome-stable");
    private static final Pattern ID = Pattern.compile("^\\{\"id\":(\\d+),");
    private static final Pattern EVENT =
            Pattern.compile("^\\{\"method\":\"(Runtime.exceptionThrown|Log.entryAdded)\"");
    private static final Pattern SESSION = Pattern.compile("\"sessionId\":\"([^\"]+)\"}$");
    private static final String ADDRESS = "DevTools listening on ";
    private static final int PATIENCE_SECONDS = 60;
    private static final int START_SECONDS = 30;
    /** How many times a start is tried. */
    private static final int STARTS = 3;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<Integer, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
    private final Map<String, Tab> tabs = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final Process process;
    private final Path profile;
    private final WebSocket devTools;

    /** Receives what the browser says, which may come in several parts. */
    private final class Ear implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                hear(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return CompletableFuture.completedStage(null);
        }
    }

    private Browser(Process process, Path profile, String address) {
        this.process = process;
        this.profile = profile;
        devTools = within(START_SECONDS, "the connection to " + address,
                client.newWebSocketBuilder().buildAsync(URI.create(address), new Ear()));
    }

    private void hear(String text) {
        var id = ID.matcher(text);
        if (id.find()) {
            answers.remove(Integer.parseInt(id.group(1))).complete(text);
        } else if (EVENT.matcher(text).find()) {
            var session = SESSION.matcher(text);
            var tab = session.find() ? tabs.get(session.group(1)) : null;
            if (tab != null && (text.contains("\"level\":\"error\"") || text.contains("exceptionThrown"))) {
                tab.problem(text);
            }
        }
    }

    /**
     * Starts a browser.
     *
     * @return the browser; empty if none is installed
     * @throws IOException if it does not start
     */
    public static Optional<Browser> start() throws IOException {
        var named = System.getenv("FIBRY_BROWSER");
        var found = named != null ? Optional.of(Path.of(named))
                : Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                        .filter(Files::isExecutable).findFirst();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        for (int i = 1;; i++) {
            try {
                return Optional.of(start(found.get()));
            } catch (AssertionError e) {
                if (i == STARTS) {
                    throw new IOException(found.get() + " did not start", e);
                }
                System.err.println(found.get() + " did not start and is started again: " + e.getMessage()
                        + ": " + e.getCause());
            }
        }
    }

    /** Fails if the browser hangs: one that starts beside many other programs may. */
    private static Browser start(Path file) throws IOException {
        var profile = Files.createTempDirectory("browser");
        var process = new ProcessBuilder(file.toString(), "--headless=new", "--no-sandbox", "--disable-gpu",
                "--disable-quic", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                "--remote-debugging-port=0", "--user-data-dir=" + profile, "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        var address = new CompletableFuture<String>();
        Thread.ofPlatform().daemon().name("browser").start(() -> read(process, address));
        try {
            return new Browser(process, profile,
                    within(START_SECONDS, "the address of the browser", address));
        } catch (AssertionError e) {
            end(process, profile);
            throw e;
        }
    }

    /** Reads what the browser says until its end: its address, and the rest since a full pipe would stop it. */
    private static void read(Process process, CompletableFuture<String> address) {
        var said = new StringBuilder();
        try (var says = new BufferedReader(
                new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (var line = says.readLine(); line != null; line = says.readLine()) {
                if (line.startsWith(ADDRESS)) {
                    address.complete(line.substring(ADDRESS.length()));
                } else if (!address.isDone()) {
                    said.append(line).append('\n');
                }
            }
            address.completeExceptionally(new IOException("it ended and said: " + said));
        } catch (IOException e) {
            address.completeExceptionally(e);
        }
    }

    /** Waits for an end, but not for ever: a test that hangs takes all others with it. */
    private static <T> T within(int seconds, String what, CompletableFuture<T> future) {
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(what + " did not come", e);
        }
    }

    private static void end(Process process, Path profile) throws IOException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        within(PATIENCE_SECONDS, "the end of the browser", process.destroyForcibly().onExit());
        try (var files = Files.walk(profile)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
        }
    }

    /**
     * Opens a tab.
     *
     * @param url the address of its page
     * @return the tab
     */
    public Tab open(String url) {
        var tab = blank();
        tab.go(url);
        return tab;
    }

    /**
     * Opens a tab without a page, whose size and colours can be set before it is sent to an address.
     *
     * @return the tab
     */
    public Tab blank() {
        var target = Tab.field("targetId", call("Target.createTarget", "{\"url\":\"about:blank\"}", ""));
        var session = Tab.field("sessionId",
                call("Target.attachToTarget", "{\"targetId\":\"" + target + "\",\"flatten\":true}", ""));
        var tab = new Tab(this, session);
        tabs.put(session, tab);
        tab.call("Page.enable", "{}");
        tab.call("Runtime.enable", "{}");
        tab.call("Log.enable", "{}");
        return tab;
    }

    /** Calls a method of the protocol, and waits for its answer. */
    String call(String method, String parameters, String session) {
        var answer = new CompletableFuture<String>();
        int id = ids.incrementAndGet();
        answers.put(id, answer);
        within(PATIENCE_SECONDS, "the end of writing " + method,
                devTools.sendText(
                        "{\"id\":%d,\"method\":\"%s\",\"params\":%s%s}".formatted(id, method, parameters,
                                session.isEmpty() ? "" : ",\"sessionId\":\"" + session + "\""),
                        true));
        return within(PATIENCE_SECONDS, "an answer to " + method + " " + parameters, answer);
    }

    @Override
    public void close() throws IOException {
        client.shutdownNow();
        end(process, profile);
    }
}
