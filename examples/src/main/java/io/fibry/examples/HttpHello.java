package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** An HTTP server with an actor for each request, and one actor that counts. */
final class HttpHello implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(2);

    /** The counter's state. Only the actor touches it, so it needs no lock. */
    private static final class Visits {
        private long count;

        long another() {
            return ++count;
        }
    }

    private final ActorScope scope = ActorScope.open("http-hello");
    private final Actor<String, Long> visits = scope.named("visits").state(Visits::new)
            .newActorWithReturn((Visits state, String path) -> state.another());
    private final Server server;

    private HttpHello(int port) throws IOException {
        var options = HttpOptions.address(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
        try {
            server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(options, routes());
        } catch (UncheckedIOException e) {
            scope.close();
            throw new IOException("cannot serve HTTP on 127.0.0.1:" + port + ": " + e.getCause().getMessage()
                    + ". Choose another port with --http-port, or 0 for any free one.", e);
        }
    }

    /** Starts a server on a port of 127.0.0.1; 0 takes any free one. */
    static HttpHello start(int port) throws IOException {
        return new HttpHello(port);
    }

    private HttpRoutes routes() {
        return HttpRoutes.none()
                .get("/", call -> {
                    visits.apply(call.path());
                    return HttpAnswer.text("Hello World!\n");
                })
                .get("/visits", call -> HttpAnswer.text(visits.apply(call.path()) + "\n"))
                .get("/{path*}", call -> {
                    visits.apply(call.path());
                    return HttpAnswer.text("There is nothing at " + call.path() + "\n").status(404);
                });
    }

    int port() {
        return server.port();
    }

    /** Lets running requests end, then closes everything. */
    @Override
    public void close() {
        server.stop(DRAIN);
        scope.close();
    }
}
