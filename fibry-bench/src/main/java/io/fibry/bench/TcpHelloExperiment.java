package io.fibry.bench;

import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import io.fibry.net.TcpOptions;
import java.time.Duration;
import java.util.List;

/** Measures TCP servers that answer {@code ab} and {@code wrk}: ours, and a loop written by hand. */
final class TcpHelloExperiment implements Experiment {
    private static final int CLIENTS = 100;
    private static final int MAX_CONNECTIONS = 10_000;

    @Override
    public String name() {
        return "tcp-hello";
    }

    @Override
    public String what() {
        return "TCP servers that answer ab and wrk, against a bare loop with virtual threads, in turns";
    }

    @Override
    public String checks() {
        return "the load programs report no failed request";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(9);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int requests = settings.count(50_000, 10_000, 200);
        int seconds = settings.pick(5, 1, 1);
        int clients = settings.pick(CLIENTS, CLIENTS, 10);
        var options = TcpOptions.localPort(0).maxConnections(MAX_CONNECTIONS);
        try (var ours = Stereotypes.fibers().tcpAcceptorSilent(options, HelloWorker::keepAlive, null);
                var bare = new BareServer(HelloWorker::keepAlive)) {
            for (var program : List.of(LoadProgram.ab(true, requests, clients),
                    LoadProgram.wrk(seconds, clients))) {
                var load = HttpLoad.of(program, new OwnLoad(true, requests, clients), report);
                compare(load, ours.port(), bare.port(), settings, report);
            }
        }
        try (var ours = Stereotypes.fibers().tcpAcceptorSilent(options, HelloWorker::once, null);
                var bare = new BareServer(HelloWorker::onceOrEnd)) {
            var load =
                    HttpLoad.of(LoadProgram.ab(false, requests, clients),
                            new OwnLoad(false, requests, clients),
                            report);
            compare(load, ours.port(), bare.port(), settings, report);
        }
    }

    private static void compare(HttpLoad load, int ourPort, int barePort, Settings settings, Report report)
            throws Exception {
        var ours = of(load, "Fibry, tcpAcceptorSilent", ourPort);
        var bare = of(load, "bare loop, virtual threads", barePort);
        var rows = new Turns(Unit.higher("requests/s"), settings.pick(1, 0, 0), settings.pick(9, 1, 1))
                .run(List.of(ours, bare), settings, report);
        Turns.ratio(rows, ours, bare, ">= 0.95", report);
    }

    private static Line of(HttpLoad load, String peer, int port) {
        return Line.of(load.who(), peer, (settings, samples) -> samples.add(load.rate().measure(port)));
    }
}
