package io.fibry.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/** The JDK's HTTP server with a new actor for each request, and one actor that counts. */
final class HttpHello implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(2);

    static {
        // The JDK's server reads these once. Without the first, answers can wait 40 ms for an acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
    }

    /** The counter's state. Only the actor touches it, so it needs no lock. */
    private static final class Visits {
        private long count;

        long another() {
            return ++count;
        }
    }

    private final ActorScope scope = ActorScope.configure("http-hello").strategy(CreationStrategy.fibers())
            .open();
    private final Actor<String, Long> visits = scope.named("visits").state(Visits::new)
            .newActorWithReturn((Visits state, String path) -> state.another());
    private final Actor<Runnable, Void> requests =
            Stereotypes.with(scope.anonymous()).workers(Runnable::run);
    private final HttpServer server;
    private volatile boolean closing;

    private HttpHello(HttpServer server) {
        this.server = server;
    }

    /** Starts a server on a port of 127.0.0.1; 0 takes any free one. */
    static HttpHello start(int port) throws IOException {
        var hello = new HttpHello(listen(port));
        hello.server.createContext("/", hello::answer);
        hello.server.setExecutor(hello::execute);
        hello.server.start();
        return hello;
    }

    private static HttpServer listen(int port) throws IOException {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 0);
        } catch (IOException e) {
            throw new IOException("cannot serve HTTP on 127.0.0.1:" + port + ": " + e.getMessage()
                    + ". Choose another port with --http-port, or 0 for any free one.", e);
        }
    }

    /** What the server wants done goes to the workers: each gets an actor of its own. */
    private void execute(Runnable request) {
        if (closing || !requests.sendMessage(request)) {
            throw new RejectedExecutionException("the server is being stopped");
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            var visit = visits.apply(path);
            switch (path) {
                case "/" -> send(exchange, 200, "Hello World!\n");
                case "/visits" -> send(exchange, 200, visit + "\n");
                default -> send(exchange, 404, "There is nothing at " + path + "\n");
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        var body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Lets running requests end, then closes everything. */
    @Override
    public void close() {
        closing = true;
        requests.stop(DRAIN);
        server.stop(0);
        scope.close();
    }
}
