package io.fibry.bench;

import com.sun.net.httpserver.HttpServer;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.net.HttpOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** Small answers over HTTP, against the bare server of the JDK with a virtual thread for each request. */
final class HttpHello implements Experiment {
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
    public void run(Settings settings, Report report) throws Exception {
        var ours = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), exchange -> TEXT);
        var bare = bare();
        try {
            int requests = settings.count(50_000, 50_000, 200);
            int clients = settings.pick(100, 100, 4);
            for (var program : List.of(LoadProgram.ab(true, requests, clients),
                    LoadProgram.wrk(settings.pick(5, 2, 1), clients))) {
                if (program.isInstalled()) {
                    compare(program, settings, report, ours.port(), bare.getAddress().getPort());
                } else {
                    report.progress(program.howToGetIt());
                }
            }
        } finally {
            ours.close();
            bare.stop(0);
        }
        slow(settings, report);
    }

    /** With the same header as ours; made after ours, so that it has the same settings too. */
    private static HttpServer bare() throws IOException {
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

    private void compare(LoadProgram program, Settings settings, Report report, int ourPort, int barePort)
            throws IOException, InterruptedException {
        int warmUps = settings.pick(4, 2, 0);
        int rounds = settings.pick(11, 5, 1);
        var ours = new Samples();
        var bare = new Samples();
        for (int round = -warmUps; round < rounds; round++) {
            var oursFirst = round % 2 == 0;
            var before = oursFirst ? 0 : program.run(barePort);
            var ourRate = program.run(ourPort);
            var bareRate = oursFirst ? program.run(barePort) : before;
            if (round >= 0) {
                ours.add(ourRate);
                bare.add(bareRate);
            }
        }
        var ratios = IntStream.range(0, rounds).mapToDouble(i -> ours.values().get(i) / bare.values().get(i))
                .toArray();
        var who = program.asText() + ", ";
        report.add(new Row(name(), who + "embeddedHttpServer on fibers", "requests/s", ours, "",
                program.name().equals("ab") ? "2,200" : ""));
        report.add(new Row(name(), who + "JDK's server, virtual threads", "requests/s", bare, "", ""));
        report.add(new Row(name(), who + "ours / bare", "ratio", Samples.of(ratios), ">= 1.0", ""));
    }

    /** Many connections at once, each of whose handlers blocks: all must be answered. */
    private void slow(Settings settings, Report report) throws Exception {
        int connections = settings.pick(2_000, 2_000, 50);
        long millis = settings.pick(1_000, 1_000, 20);
        var server = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), exchange -> {
            Thread.sleep(millis);
            return TEXT;
        });
        try {
            var took = new Samples();
            for (int round = 0; round < settings.pick(3, 1, 1); round++) {
                took.add(SlowClients.millisForAll(server.port(), connections));
            }
            report.add(new Row(name(), "%,d connections, each handler blocks %d ms, all answered"
                    .formatted(connections, millis), "ms", took, "", ""));
        } finally {
            server.close();
        }
    }
}
