package io.fibry.bench;

import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import io.fibry.net.HttpOptions;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures the servers of the article on fibers, on threads and on a pool. */
final class ServersByStrategy implements Experiment {
    private static final int POOL = 200;
    private static final int MAX_CONNECTIONS = 10_000;
    /** The text for which {@link OwnLoad} waits. */
    private static final String TEXT = "Hello!";

    /** A strategy, and the requests in a second that the servers on it answered in the article. */
    private record Who(String peer, CreationStrategy strategy, double tcp, double http) {
    }

    /** Opens a server that counts the requests that it answers. */
    @FunctionalInterface
    private interface Opening {
        Server open(Stereotypes actors, AtomicInteger answered);
    }

    @Override
    public String name() {
        return "servers-by-strategy";
    }

    @Override
    public String what() {
        return "the article's TCP worker and HTTP server, on fibers, on threads and on a pool, in turns";
    }

    @Override
    public String checks() {
        return "no request has failed, and the server has answered as many as were sent";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int requests = settings.count(50_000, 1_000, 200);
        int clients = settings.pick(100, 100, 10);
        var pool = CreationStrategy.pool(POOL);
        var all = List.of(new Who(Peers.FIBERS, CreationStrategy.fibers(), 24_000, 2_200),
                new Who(Peers.THREADS, CreationStrategy.threads(), 11_000, 2_200),
                new Who("Fibry, pool(%d)".formatted(POOL), pool, 0, 0));
        var tcp = HttpLoad.of(LoadProgram.ab(false, requests, clients),
                new OwnLoad(false, requests, clients), report);
        measure(all.stream().map(who -> line("TCP, " + tcp.who(), who, requests, tcp,
                ServersByStrategy::tcp).article(who.tcp, "")).toList(), settings.forOneOf(2), report);
        var http = HttpLoad.of(LoadProgram.ab(true, requests, clients),
                new OwnLoad(true, requests, clients), report);
        measure(all.stream().map(who -> line("HTTP, " + http.who(), who, requests, http,
                ServersByStrategy::http).article(who.http, "")).toList(), settings, report);
    }

    private static Server tcp(Stereotypes actors, AtomicInteger answered) {
        var options = TcpOptions.localPort(0).maxConnections(MAX_CONNECTIONS);
        return actors.tcpAcceptorSilent(options, socket -> {
            HelloWorker.once(socket);
            answered.incrementAndGet();
        }, null);
    }

    private static Server http(Stereotypes actors, AtomicInteger answered) {
        return actors.embeddedHttpServer(HttpOptions.localPort(0), exchange -> {
            answered.incrementAndGet();
            return TEXT;
        });
    }

    /** Returns a line that opens a server for each measurement. */
    private static Line line(String group, Who who, int requests, HttpLoad load, Opening opening) {
        return Line.of(group, who.peer, (settings, samples) -> {
            var answered = new AtomicInteger();
            var server = opening.open(Stereotypes.on(who.strategy), answered);
            try {
                samples.add(load.rate().measure(server.port()));
            } finally {
                server.stop(Duration.ofSeconds(10)); // its connections end, and are counted
            }
            if (answered.get() < requests) {
                throw new AssertionError("%s, %s: answered %,d of %,d requests".formatted(group, who.peer,
                        answered.get(), requests));
            }
        });
    }

    private static void measure(List<Line> lines, Settings settings, Report report) throws Exception {
        new Turns(Unit.higher("requests/s"), settings.pick(2, 0, 0), settings.pick(9, 1, 1)).run(lines,
                settings, report);
    }
}
