package io.fibry.net;

import com.sun.net.httpserver.spi.HttpServerProvider;
import io.fibry.Stereotypes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Tries a server in a JVM with options of its own, and prints what it sees. */
final class HttpChild {
    private HttpChild() {
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "drip" -> {
                drip("GET / HTTP/1.1\r\nHost: x\r\nX: ");
                drip("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
            }
            case "settings" -> settings();
            case "absent" -> absent();
            case "engine" -> engine();
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.exit(0);
    }

    /** Sends a byte every now and then, for ever: the server must end that. */
    private static void drip(String start) throws IOException {
        var server = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0),
                exchange -> "read " + exchange.getRequestBody().readAllBytes().length);
        var begun = System.nanoTime();
        try (var ticks = Executors.newSingleThreadScheduledExecutor(); var client = new RawHttp(server)) {
            client.send(start);
            ticks.scheduleAtFixedRate(() -> {
                try {
                    client.send("a");
                } catch (IOException closed) {
                    ticks.shutdown();
                }
            }, 50, 50, TimeUnit.MILLISECONDS);
            System.out.println(client.isOver() ? "cut off" : "answered");
            ticks.shutdownNow();
        }
        System.out.println("in time: " + (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(30)));
        try (var other = new RawHttp(server)) {
            System.out.println("others: " + other.get("/").body());
        }
        System.out.println("stopped: " + server.stop(Duration.ofSeconds(5)).stopped());
    }

    private static void settings() {
        Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), exchange -> "x").close();
        for (var name : new String[]{"sun.net.httpserver.nodelay", "sun.net.httpserver.maxIdleConnections",
            "sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime"}) {
            System.out.println(name + "=" + System.getProperty(name));
        }
    }

    private static void absent() {
        try {
            Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), HttpRoutes.none());
        } catch (UnsupportedOperationException expected) {
            System.out.println(expected.getMessage());
        }
        System.out.println(Stereotypes.fibers().sink(null).sendMessage("the rest works"));
    }

    private static void engine() throws IOException {
        System.out.println("engine: " + HttpServerProvider.provider().getClass().getName());
        var routes = HttpRoutes.none().get("/hello/{name}", call -> HttpAnswer.text(call.parameter("name")))
                .get("/stream", call -> HttpAnswer.stream("text/plain", out -> out.write(new byte[100_000])))
                .post("/", call -> HttpAnswer.text("read " + call.bytes().length)).get("/fails", call -> {
                    throw new IOException("as it must");
                });
        var server = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0).bodyBytes(10), routes);
        var seen = new ArrayList<String>();
        try (var client = new RawHttp(server)) {
            for (int i = 0; i < 3; i++) {
                seen.add(client.get("/hello/" + i).body());
            }
            seen.add("" + client.get("/stream").body().length());
            seen.add("" + client.ask("HEAD", "/hello/x").status());
            seen.add("" + client.get("/none").status());
            seen.add(client.ask("PUT", "/stream").header("Allow"));
            seen.add("" + client.get("/fails").status());
            seen.add(client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").receive()
                    .body());
        }
        try (var client = new RawHttp(server)) {
            seen.add("" + client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n12345678901")
                    .receive().status());
        }
        System.out.println("seen: " + seen);
        System.out.println("stopped: " + server.stop(Duration.ofSeconds(5)).stopped());
        try (var client = new RawHttp(server)) {
            System.out.println("still listening: " + client.socket);
        } catch (IOException refused) {
            System.out.println("refused");
        }
    }
}
