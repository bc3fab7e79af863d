package io.fibry.bench;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Ways to call a server many times, by the same client of the JDK. Thread-safe. */
final class HttpCallers implements AutoCloseable {
    private static final int WORKERS = 100;
    private static final int MOST_WAITING = 10_000;
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private final HttpClient client = HttpClient.newHttpClient();
    private final ActorScope scope = ActorSystem.open("callers");
    private final WorkerPool<HttpRequest, HttpResponse<String>> pool =
            WorkerPool.openWithReturn(scope, "callers", PoolOptions.fixed(WORKERS, MOST_WAITING),
                    each -> client.send(each, BodyHandlers.ofString()));
    private final ExecutorService threads = Executors.newFixedThreadPool(CORES);
    private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpRequest request;

    HttpCallers(HttpRequest request) {
        this.request = request;
    }

    /** Makes a number of calls, and waits for all answers. */
    @FunctionalInterface
    interface Way {
        List<HttpResponse<String>> call(int times, boolean atOnce) throws Exception;
    }

    /** Returns the ways: by a pool of workers that block, a pool with a thread for each processor, virtual threads, and coroutines of Kotlin. */
    List<Way> all() {
        return List.of(this::byPool, by(threads), by(virtual),
                (times, atOnce) -> Coroutines.call(client, request, times, atOnce));
    }

    private List<HttpResponse<String>> byPool(int times, boolean atOnce) throws Exception {
        var answers = new ArrayList<HttpResponse<String>>();
        if (!atOnce) {
            for (int i = 0; i < times; i++) {
                answers.add(pool.sendMessageReturn(request).get());
            }
            return answers;
        }
        var asked = new ArrayList<CompletableFuture<HttpResponse<String>>>();
        for (int i = 0; i < times; i++) {
            asked.add(pool.sendMessageReturn(request));
        }
        return answers(asked);
    }

    private Way by(ExecutorService executor) {
        return (times, atOnce) -> {
            if (atOnce) {
                return answers(executor.invokeAll(Collections.nCopies(times, this::send)));
            }
            return executor.submit(() -> {
                var answers = new ArrayList<HttpResponse<String>>();
                for (int i = 0; i < times; i++) {
                    answers.add(send());
                }
                return answers;
            }).get();
        };
    }

    private HttpResponse<String> send() throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString());
    }

    private static List<HttpResponse<String>> answers(
            List<? extends Future<HttpResponse<String>>> asked)
            throws InterruptedException, ExecutionException {
        var answers = new ArrayList<HttpResponse<String>>();
        for (var each : asked) {
            answers.add(each.get());
        }
        return answers;
    }

    @Override
    public void close() {
        scope.stop(Duration.ofSeconds(10));
        threads.shutdown();
        virtual.shutdown();
        client.close();
    }
}
