package io.fibry.bench;

import io.fibry.Stereotypes;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpOptions;
import io.fibry.net.Server;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server that answers after a short time, and counts what it was asked. Thread-safe. */
final class HttpStub implements AutoCloseable {
    static final String TEXT = "I am a stub";
    private static final Duration ANSWERS_AFTER = Duration.ofNanos(1_500_000);

    private final AtomicInteger asked = new AtomicInteger();
    private final Server server =
            Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), this::answer);

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.port() + "/");
    }

    /** Checks how often the server was asked since the last check. */
    void check(int calls) {
        int found = asked.getAndSet(0);
        if (found != calls) {
            throw new AssertionError("the server was asked %d times, not %d".formatted(found, calls));
        }
    }

    private String answer(HttpCall call) throws InterruptedException {
        asked.incrementAndGet();
        Thread.sleep(ANSWERS_AFTER);
        return TEXT;
    }

    @Override
    public void close() {
        server.close();
    }
}
