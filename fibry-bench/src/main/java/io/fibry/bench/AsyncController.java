package io.fibry.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import io.fibry.net.HttpOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures servers whose answers come from a back end that takes its time: handlers that block until then, and an asynchronous
 * controller, which returns at once and leaves the answer to another thread.
 */
final class AsyncController implements Experiment {
    private static final int POOL = 200;
    /** How long the back end takes. */
    private static final int MILLIS = 100;
    private static final int ASYNC_THREADS = 2;
    private static final int BACKLOG = 1_024;
    /** The text for which {@link OwnLoad} waits. */
    private static final String TEXT = "Hello!";

    /** A server that runs. */
    private interface Running extends AutoCloseable {
        int port();

        @Override
        void close();
    }

    /** Opens a server that counts the requests that it answers. */
    @FunctionalInterface
    private interface Opening {
        Running open(AtomicInteger answered) throws IOException;
    }

    private record Opened(int port, Runnable end) implements Running {
        @Override
        public void close() {
            end.run();
        }
    }

    @Override
    public String name() {
        return "async-controller";
    }

    @Override
    public String what() {
        return "HTTP servers whose back end takes %d ms: handlers that block, and a controller that answers later"
                .formatted(MILLIS);
    }

    @Override
    public String checks() {
        return "no request has failed, and the server has answered as many as were sent";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int clients = settings.pick(1_000, 400, 20);
        int requests = settings.count(20_000, 2_000, 60);
        report.note(
                "%,d clients, of which each sends its next request when it has its answer: at most %,d requests/s"
                        .formatted(clients, clients * 1_000L / MILLIS));
        var load = new OwnLoad(false, requests, clients);
        var pool = CreationStrategy.pool(POOL);
        var lines = List.of(
                line(Peers.FIBERS + ", the handler blocks", requests, load,
                        answered -> fibry(CreationStrategy.fibers(), answered)),
                line("Fibry, pool(%d), the handler blocks".formatted(POOL), requests, load,
                        answered -> fibry(pool, answered)),
                line("JDK's server, virtual threads, the handler blocks", requests, load,
                        answered -> jdk(0, answered)),
                line("JDK's server, %d threads, the handler blocks".formatted(POOL), requests, load,
                        answered -> jdk(POOL, answered)),
                line("JDK's server, %d threads, answers later".formatted(ASYNC_THREADS), requests, load,
                        AsyncController::later));
        new Turns(Unit.higher("requests/s"), settings.pick(2, 0, 0), settings.pick(9, 1, 1)).run(lines,
                settings,
                report);
    }

    private static Line line(String peer, int requests, OwnLoad load, Opening opening) {
        return Line.of("", peer, (settings, samples) -> {
            var answered = new AtomicInteger();
            try (var server = opening.open(answered)) {
                samples.add(load.run(server.port()));
            }
            if (answered.get() < requests) {
                throw new AssertionError(
                        "%s: answered %,d of %,d requests".formatted(peer, answered.get(), requests));
            }
        });
    }

    /** Returns what the back end says, when it has taken its time. */
    private static String backEnd() throws InterruptedException {
        Thread.sleep(MILLIS);
        return TEXT;
    }

    private static Running fibry(CreationStrategy strategy, AtomicInteger answered) {
        var server = Stereotypes.on(strategy).embeddedHttpServer(HttpOptions.localPort(0), exchange -> {
            var text = backEnd();
            answered.incrementAndGet();
            return text;
        });
        return new Opened(server.port(), () -> server.stop(Duration.ofSeconds(10)));
    }

    private static HttpServer bare() throws IOException {
        return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    }

    /** The JDK's server, on so many threads, or on virtual ones if {@code threads} is 0. */
    private static Running jdk(int threads, AtomicInteger answered) throws IOException {
        var server = bare();
        var executor = threads == 0 ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(threads);
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            try {
                answer(exchange, backEnd(), answered);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        return new Opened(server.getAddress().getPort(), () -> {
            server.stop(0);
            executor.shutdownNow();
        });
    }

    /** The JDK's server, whose handlers leave the answer to a timer. */
    private static Running later(AtomicInteger answered) throws IOException {
        var server = bare();
        var executor = Executors.newFixedThreadPool(ASYNC_THREADS);
        var afterwards = CompletableFuture.delayedExecutor(MILLIS, TimeUnit.MILLISECONDS, executor);
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            var unused = CompletableFuture.supplyAsync(() -> TEXT, afterwards)
                    .thenAccept(text -> answerUnchecked(exchange, text, answered));
        });
        server.start();
        return new Opened(server.getAddress().getPort(), () -> {
            server.stop(0);
            executor.shutdownNow();
        });
    }

    private static void answerUnchecked(HttpExchange exchange, String text, AtomicInteger answered) {
        try {
            answer(exchange, text, answered);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answer(HttpExchange exchange, String text, AtomicInteger answered)
            throws IOException {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(200, bytes.length);
        answered.incrementAndGet();
        try (var body = exchange.getResponseBody()) {
            body.write(bytes);
        }
    }
}
