package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.internal.scope.StereotypeActors;
import io.fibry.net.HttpRetries;
import io.fibry.time.TimeSource;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Sends requests, and repeats those that may succeed later.
 *
 * @param <T> what responses are read as
 */
public final class HttpCaller<T> implements ReplyHandler<HttpRequest, HttpResponse<T>> {
    private static final Logger LOG = Logs.of("io.fibry.net.http");
    private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");
    private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

    private final HttpClient client;
    private final HttpRetries retries;
    private final HttpResponse.BodyHandler<T> body;
    private final TimeSource time;
    private final AtomicLong requests = new AtomicLong();

    private HttpCaller(HttpClient client, HttpRetries retries, HttpResponse.BodyHandler<T> body,
            TimeSource time) {
        this.client = Objects.requireNonNull(client, "client");
        this.retries = Objects.requireNonNull(retries, "retries");
        this.body = Objects.requireNonNull(body, "body");
        this.time = time;
    }

    /**
     * Starts an actor that sends the requests that it is asked with.
     *
     * @param <T> what responses are read as
     * @param builder the builder of the actor
     * @param client the client that sends
     * @param retries when to try again
     * @param body reads responses
     * @return the actor
     */
    public static <T> Actor<HttpRequest, HttpResponse<T>> start(ActorBuilder builder, HttpClient client,
            HttpRetries retries, HttpResponse.BodyHandler<T> body) {
        var actors = StereotypeActors.of(builder.interruptOnCancel());
        return actors.newWorkersWithReturn(new HttpCaller<>(client, retries, body, actors.time()));
    }

    /** One request with its repetitions: its deadline, and the random part of its pauses. */
    private record Trip(long end, SplittableRandom random) {
    }

    @Override
    public HttpResponse<T> handle(HttpRequest request) throws IOException, InterruptedException {
        var now = time.nanoTime();
        var trip = new Trip(now + Durations.positiveNanos(retries.deadline(), "deadline"),
                new SplittableRandom(now + requests.incrementAndGet()));
        for (int attempt = 1;; attempt++) {
            var isLast = attempt >= retries.attempts()
                    || (!retries.allMethods() && !REPEATABLE.contains(request.method()));
            var tried = attempt;
            long pause;
            try {
                var response = send(request, trip);
                if (isLast || !PASSING.contains(response.statusCode())) {
                    return response;
                }
                pause = HttpRetryAfter.nanos(response.headers()).orElseGet(() -> backOff(tried, trip));
                if (isTooLate(pause, trip)) {
                    return response;
                }
                LOG.debug("{} {} was answered with {}; attempt {} of {} follows", request.method(),
                        request.uri(), response.statusCode(), attempt + 1, retries.attempts());
            } catch (IOException failure) {
                pause = backOff(attempt, trip);
                if (isLast || isTooLate(pause, trip)) {
                    throw failed(request, attempt, failure);
                }
                LOG.debug("{} {} failed; attempt {} of {} follows", request.method(), request.uri(),
                        attempt + 1, retries.attempts(), failure);
            }
            pause(pause);
        }
    }

    private static IOException failed(HttpRequest request, int attempts, IOException failure) {
        var text = request.method() + " " + request.uri() + " failed in attempt " + attempts + ": "
                + failure.getMessage();
        return failure instanceof HttpTimeoutException
                ? (IOException) new HttpTimeoutException(text).initCause(failure)
                : new IOException(text, failure);
    }

    private HttpResponse<T> send(HttpRequest request, Trip trip) throws IOException, InterruptedException {
        var sent = client.sendAsync(request, body);
        // The time-out of the request covers the wait for the headers only; the deadline covers the content too.
        var late = new AtomicBoolean();
        var alarm = time.schedule(Math.max(1, trip.end - time.nanoTime()), () -> {
            late.set(true);
            sent.cancel(true);
        });
        try {
            return sent.get();
        } catch (InterruptedException e) {
            sent.cancel(true);
            throw e;
        } catch (CancellationException | ExecutionException e) {
            if (late.get()) {
                throw (IOException) new HttpTimeoutException("no response within " + retries.deadline())
                        .initCause(e);
            }
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e);
        } finally {
            alarm.cancel();
        }
    }

    private long backOff(int attempt, Trip trip) {
        return Pauses.nanos(retries.firstPause(), retries.longestPause(), attempt, trip.random);
    }

    private boolean isTooLate(long pauseNanos, Trip trip) {
        return pauseNanos >= trip.end - time.nanoTime();
    }

    private void pause(long nanos) throws InterruptedException {
        var over = new CompletableFuture<Boolean>();
        var alarm = time.schedule(nanos, () -> over.complete(true));
        try {
            over.get();
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            alarm.cancel();
        }
    }
}
