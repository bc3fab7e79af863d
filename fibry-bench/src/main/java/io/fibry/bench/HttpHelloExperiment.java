package io.fibry.bench;

import com.sun.net.httpserver.HttpServer;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import io.fibry.net.HttpOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;

/** Measures small answers over HTTP, against the bare server of the JDK with a virtual thread for each request. */
final class HttpHelloExperiment implements Experiment {
    private static final String TEXT = "Hello World!";

    @Override
    public String name() {
        return "http-hello";
    }

    @Override
    public String what() {
        return "HTTP answers of 12 bytes by ab and wrk, against the JDK's bare server, in turns; slow handlers";
    }

    @Override
    public String checks() {
        return "the load programs report no failed request, and each slow one is answered with 200";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(9);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var ours = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), exchange -> TEXT);
        var bare = bare();
        try {
            int requests = settings.count(50_000, 10_000, 200);
            int clients = settings.pick(100, 100, 4);
            for (var program : List.of(LoadProgram.ab(true, requests, clients),
                    LoadProgram.wrk(settings.pick(5, 1, 1), clients))) {
                if (program.isInstalled()) {
                    compare(program, settings, report, ours.port(), bare.getAddress().getPort());
                } else {
                    report.note(program.howToGetIt());
                }
            }
        } finally {
            ours.close();
            bare.stop(0);
        }
        slow(settings, report);
    }

    /**
     * Makes the server of the JDK, with the same header as ours. With its own settings it would delay some answers by 40
     * ms, and close idle connections beyond 200.
     */
    static HttpServer bare() throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
        var text = TEXT.getBytes(StandardCharsets.UTF_8);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        return server;
    }

    private static void compare(LoadProgram program, Settings settings, Report report, int ourPort,
            int barePort) throws Exception {
        var ours = of(program, "Fibry, embeddedHttpServer", ourPort);
        ours = program.name().equals("ab") ? ours.article(2_200, "") : ours;
        var bare = of(program, "JDK's server, virtual threads", barePort);
        // a run of ab takes half a second: fewer would measure what the JIT compiler takes from the processors
        var rows = new Turns(Unit.higher("requests/s"), settings.pick(10, 1, 0), settings.pick(21, 1, 1))
                .run(List.of(ours, bare), settings, report);
        Turns.ratio(rows, ours, bare, ">= 1.15", report);
    }

    private static Line of(LoadProgram program, String peer, int port) {
        return Line.of(program.asText(), peer, (settings, samples) -> samples.add(program.run(port)));
    }

    /** Opens many connections at once, whose handlers all block. Each must be answered. */
    private void slow(Settings settings, Report report) throws Exception {
        int connections = settings.pick(2_000, 2_000, 50);
        long millis = settings.pick(1_000, 1_000, 20);
        var server = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), exchange -> {
            Thread.sleep(millis);
            return TEXT;
        });
        try {
            var took = new Samples();
            for (int round = 0; round < settings.timesEach(); round++) {
                took.add(SlowClients.millisForAll(server.port(), connections));
            }
            report.add(new Row("%,d connections, each handler blocks %d ms".formatted(connections, millis),
                    "Fibry, embeddedHttpServer", Unit.lower("ms"), took));
        } finally {
            server.close();
        }
    }
}
