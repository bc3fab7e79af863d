package io.fibry.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Callers that deposit cents by HTTP, each one again with the same id until it is acknowledged. */
final class DepositCalls implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final int ACCOUNTS = 20;
    private static final Duration PAUSE = Duration.ofMillis(20);
    /** How long it takes until callers learn which pods are ready. */
    private static final Duration NEWS = Duration.ofSeconds(1);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2))
                    .build();
    private final AtomicLongArray acknowledged = new AtomicLongArray(ACCOUNTS);
    private final ConcurrentLinkedQueue<String> repeated = new ConcurrentLinkedQueue<>();
    private final List<Thread> callers = new ArrayList<>();
    private final Thread news;
    /** The addresses of the pods that were ready. Written by one thread. */
    private volatile List<String> ready = List.of();
    /** Written once. */
    private volatile boolean isOver;

    /** Begins. */
    DepositCalls(Supplier<List<String>> pods) {
        news = Thread.startVirtualThread(() -> {
            while (!isOver) {
                ready = pods.get();
                pause(NEWS);
            }
        });
        for (int i = 0; i < CALLERS; i++) {
            callers.add(Thread.startVirtualThread(() -> {
                while (!isOver) {
                    deposit(ThreadLocalRandom.current().nextInt(ACCOUNTS));
                    pause(PAUSE);
                }
            }));
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException("nothing interrupts a caller", unexpected);
        }
    }

    private void deposit(int account) {
        var path = "/accounts/" + account + "/deposits/" + UUID.randomUUID() + "?cents=1";
        while (true) {
            var pods = ready;
            if (!pods.isEmpty()) {
                var pod = pods.get(ThreadLocalRandom.current().nextInt(pods.size()));
                try {
                    var answer =
                            send(HttpRequest.newBuilder(URI.create(pod + path)).PUT(BodyPublishers.noBody()));
                    if (answer.statusCode() == 200) {
                        acknowledged.incrementAndGet(account);
                        return;
                    }
                    repeated.add(answer.statusCode() + " " + answer.body().strip());
                } catch (IOException failed) {
                    repeated.add(failed.toString());
                }
            }
            pause(PAUSE);
        }
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
        try {
            return client.send(request.timeout(Duration.ofSeconds(15)).build(), BodyHandlers.ofString());
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException("nothing interrupts a caller", unexpected);
        }
    }

    long acknowledged() {
        var sum = 0L;
        for (int i = 0; i < ACCOUNTS; i++) {
            sum += acknowledged.get(i);
        }
        return sum;
    }

    /** Why deposits were sent again, and how many. */
    Map<String, Long> repeated() {
        return repeated.stream()
                .collect(Collectors.groupingBy(each -> each, TreeMap::new, Collectors.counting()));
    }

    /** Ends when all deposits are acknowledged, and looks whether each was made once, whichever pod is asked. */
    void endAndCheck(List<String> pods) throws IOException, InterruptedException {
        isOver = true;
        for (var each : callers) {
            each.join();
        }
        news.join();
        assertThat(repeated).allMatch(each -> each.startsWith("503 ") || each.startsWith("java.net."));
        for (int i = 0; i < ACCOUNTS; i++) {
            for (var pod : pods) {
                var answer = send(HttpRequest.newBuilder(URI.create(pod + "/accounts/" + i)));
                assertThat(answer.body()).as("account %d by %s", i, pod)
                        .isEqualTo(acknowledged.get(i) + "\n");
            }
        }
    }

    @Override
    public void close() {
        isOver = true;
        client.shutdownNow();
    }
}
