package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.internal.net.HttpDesk;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client of routes, without a server and without a port. Requests take the way that they take in a server: they are checked and
 * limited, the route is found, its filters and its handler are called, on the strategy of the scope, and failures become answers.
 *
 * <pre>{@code
 * try (var scope = ActorScope.open("test"); var client = FakeHttpClient.of(scope, Shop.routes(stock))) {
 *     var answer = client.send(FakeHttpCall.of("GET", "/items/tea"));
 *     assertEquals(200, answer.status());
 * }
 * }</pre>
 *
 * <p>The bytes of HTTP, connections, and TLS have no part in this: test them with a server. An answer is given to the test when it is
 * complete, so a handler that sends events until the client leaves needs a server as well. Objects of this class are thread-safe.
 */
public final class FakeHttpClient implements AutoCloseable {
    private final ActorScope scope;
    private final ActorScope crew;
    private final HttpDesk desk;

    private FakeHttpClient(ActorScope scope, HttpOptions options, HttpRoutes routes) {
        this.scope = scope;
        var builder = ServerBuilder.of(scope.anonymous());
        crew = builder.crew("http-fake");
        desk = new HttpDesk(builder, crew, options, routes);
    }

    /**
     * Makes a client of some routes.
     *
     * @param scope the scope of the actors that handle the requests; its strategy is that of the handlers
     * @param routes the routes
     * @return the client
     */
    public static FakeHttpClient of(ActorScope scope, HttpRoutes routes) {
        return of(scope, HttpOptions.localPort(0), routes);
    }

    /**
     * Makes a client of some routes, with the limits of options. Their addresses and time limits have no effect.
     *
     * @param scope the scope of the actors that handle the requests; its strategy is that of the handlers
     * @param options how long requests may be, and how many are handled at a time
     * @param routes the routes
     * @return the client
     */
    public static FakeHttpClient of(ActorScope scope, HttpOptions options, HttpRoutes routes) {
        return new FakeHttpClient(Objects.requireNonNull(scope, "scope"),
                Objects.requireNonNull(options, "options"), Objects.requireNonNull(routes, "routes"));
    }

    /**
     * Sends a request, and waits for the whole answer, up to five seconds.
     *
     * @param call the request; what {@link FakeHttpCall#withParameter} has set is not sent, since the route names the parts
     * @return the answer
     * @throws IOException if the connection would have been closed before the answer was complete
     * @throws AssertionError if the answer does not come in time
     */
    public FakeHttpCall.Answer send(FakeHttpCall call) throws IOException {
        return send(call, TestWait.DEFAULT);
    }

    /**
     * Sends a request, and waits for the whole answer.
     *
     * @param call the request
     * @param within how long to wait in real time, more than zero; without effect in a schedule that is controlled, which
     *     finds by itself that no answer will come
     * @return the answer
     * @throws IOException if the connection would have been closed before the answer was complete
     * @throws AssertionError if the answer does not come in time; it shows what the actors do
     */
    public FakeHttpCall.Answer send(FakeHttpCall call, Duration within) throws IOException {
        TestWait.checked(within);
        var exchange = Objects.requireNonNull(call, "call").exchangeOnItsWay();
        var answer = new CompletableFuture<FakeHttpCall.Answer>();
        desk.execute(() -> serve(exchange, answer));
        try {
            return SeededSchedule.isOnItsThread() ? answer.get()
                    : answer.get(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new FailureText("no answer to " + call + " within " + within).dump(scope).error();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the test waited for the answer to " + call, e);
        } catch (ExecutionException e) {
            throw new IOException(call + ": the answer broke off", e.getCause());
        }
    }

    private void serve(FakeExchange exchange, CompletableFuture<FakeHttpCall.Answer> answer) {
        try {
            desk.serve(exchange);
            answer.complete(exchange.answer());
        } catch (IOException | UncheckedIOException brokenOff) {
            answer.completeExceptionally(brokenOff);
        }
    }

    /** Refuses requests from now on, and ends the actors of those that are handled. */
    @Override
    public void close() {
        desk.refuse();
        crew.stop(Duration.ZERO);
    }
}
