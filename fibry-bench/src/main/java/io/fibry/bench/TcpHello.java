package io.fibry.bench;

import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.net.TcpOptions;
import java.util.List;
import java.util.stream.IntStream;

/** TCP servers that say hello to {@code ab} and {@code wrk}: ours, and a loop written by hand. */
final class TcpHello implements Experiment {
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
    public void run(Settings settings, Report report) throws Exception {
        int requests = settings.count(50_000, 50_000, 200);
        int seconds = settings.pick(5, 2, 1);
        int clients = settings.pick(CLIENTS, CLIENTS, 10);
        int rounds = settings.pick(9, 3, 1);
        var options = TcpOptions.localPort(0).maxConnections(MAX_CONNECTIONS);
        try (var ours = Stereotypes.fibers().tcpAcceptorSilent(options, HelloWorker::keepAlive, null);
                var bare = new BareServer(HelloWorker::keepAlive)) {
            for (var program : List.of(LoadProgram.ab(true, requests, clients),
                    LoadProgram.wrk(seconds, clients))) {
                var load = load(program, new OwnLoad(true, requests, clients), report);
                compare(load, ours.port(), bare.port(), rounds, report);
            }
        }
        try (var ours = Stereotypes.fibers().tcpAcceptorSilent(options, HelloWorker::once, null);
                var bare = new BareServer(HelloWorker::onceOrEnd)) {
            var load = load(LoadProgram.ab(false, requests, clients), new OwnLoad(false, requests, clients),
                    report);
            compare(load, ours.port(), bare.port(), rounds, report);
        }
    }

    private record Load(String who, Rate rate) {
    }

    @FunctionalInterface
    private interface Rate {
        double measure(int port) throws Exception;
    }

    private static Load load(LoadProgram program, OwnLoad otherwise, Report report) {
        if (program.isInstalled()) {
            return new Load(program.asText(), program::run);
        }
        report.progress(program.howToGetIt());
        return new Load("instead of " + program.name() + ": " + otherwise.asText(), otherwise::run);
    }

    private void compare(Load load, int ours, int bare, int rounds, Report report) throws Exception {
        var forOurs = new Samples();
        var forBare = new Samples();
        for (int round = 0; round <= rounds; round++) {
            var oursFirst = round % 2 == 0;
            var before = oursFirst ? 0 : load.rate.measure(bare);
            var oursRate = load.rate.measure(ours);
            var bareRate = oursFirst ? load.rate.measure(bare) : before;
            if (round > 0) { // the first one warms up
                forOurs.add(oursRate);
                forBare.add(bareRate);
            }
        }
        var ratios = IntStream.range(0, rounds)
                .mapToDouble(i -> forOurs.values().get(i) / forBare.values().get(i)).toArray();
        var who = load.who;
        report.add(new Row(name(), who + ", tcpAcceptorSilent", "requests/s", forOurs, "", ""));
        report.add(new Row(name(), who + ", bare loop", "requests/s", forBare, "", ""));
        report.add(new Row(name(), who + ", ours / bare", "ratio", Samples.of(ratios), ">= 0.95", ""));
    }
}
