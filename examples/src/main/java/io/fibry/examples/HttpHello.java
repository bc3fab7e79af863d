package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.io.UncheckedIOException;
import java.time.Duration;

/**
 * An HTTP server whose handlers run in actors, and one actor that counts the requests.
 *
 * <p>The handlers ask the counting actor and wait for it. They run on virtual threads, so ten thousand of them may wait
 * at the same time. The count is right without a lock.
 */
public final class HttpHello implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(2);

    /** The state of the counter. Only the actor touches it, so it needs no lock. */
    private static final class Visits {
        private long count;

        long another() {
            return ++count;
        }
    }

    private final ActorScope scope = ActorSystem.open("http-hello");
    private final Actor<String, Long> visits = scope.named("visits").state(Visits::new)
            .newActorWithReturn((Visits state, String path) -> state.another());
    private final Server server;

    private HttpHello(int port) {
        try {
            server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(HttpOptions.localPort(port),
                    routes());
        } catch (UncheckedIOException portIsTaken) {
            scope.close();
            throw portIsTaken;
        }
    }

    /** Starts a server on a port of 127.0.0.1. The port 0 stands for any free port. */
    static HttpHello start(int port) {
        return new HttpHello(port);
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var hello = start(Options.read(args, Option.port(8080)).port());
        System.out.printf("""
                http://127.0.0.1:%1$d/   handlers run in actors

                Try in another terminal:
                  curl http://127.0.0.1:%1$d/            Hello World!
                  curl http://127.0.0.1:%1$d/visits      the number of requests, kept by an actor
                  ab -k -n 50000 -c 100 http://127.0.0.1:%1$d/
                expect "Failed requests: 0", and tens of thousands of requests a second.
                """, hello.port());
        CtrlC.closes(hello);
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

    /** Lets the requests in progress end, and then closes everything. */
    @Override
    public void close() {
        server.stop(DRAIN);
        scope.close();
    }
}
