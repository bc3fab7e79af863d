package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.cluster.CounterNodes;
import io.fibry.bench.cluster.ManyNodes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures counters that three processes of this machine share, by Fibry and by Pekko, also while nodes die and are restarted. */
final class ClusterExperiment implements Experiment {
    private static final Unit MICROS = Unit.lower("us, median");
    private static final Unit SPEED = Unit.higher("asks/s");
    private static final Unit TELLS = Unit.higher("tells/s");
    private static final Unit SECONDS = Unit.lower("s");
    private static final Unit MILLIS = Unit.lower("ms, 999 of 1000");
    private static final int PER_SECOND = 1000;
    private static final double MILLIS_A_SECOND = 1000;
    private static final int KIB = 1024;
    private static final int MANY = 50;
    /** Each has 256 slices. */
    private static final int GROUPS = 100;
    private static final Duration REST = Duration.ofSeconds(10);

    @Override
    public String name() {
        return "cluster";
    }

    @Override
    public String what() {
        return "counters that three processes share, while nodes die, freeze and are restarted";
    }

    @Override
    public String checks() {
        return "Fibry has handled all messages, and each ask of a rolling restart was answered";
    }

    /** Returns no time: a quick run leaves it out. */
    @Override
    public Duration quickTime() {
        return Duration.ZERO;
    }

    @Override
    public boolean isForAll() {
        return false;
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        if (settings.size() == Size.QUICK) {
            report.note("a quick run leaves this out: it starts processes for minutes");
            return;
        }
        var isFull = settings.size() == Size.FULL;
        report.note(
                "Pekko's split brain resolver decides after 5 s instead of 20 s; all else is as it comes on both sides");
        for (var by : isFull ? List.of("fibry", "pekko") : List.of("fibry")) {
            var peer = by.equals("fibry") ? "Fibry" : "Pekko Cluster Sharding";
            var begin = System.nanoTime();
            try (var nodes = CounterNodes.start(by)) {
                var processor = new Samples();
                var classes = new Samples();
                for (var each : List.of("a", "b", "c")) {
                    var used = nodes.awaitReady(each).split(" ");
                    processor.add(Double.parseDouble(used[0]) / MILLIS_A_SECOND);
                    classes.add(Double.parseDouble(used[1]));
                }
                nodes.awaitSpread();
                report.add(row("three nodes share all keys, after the start of the processes", peer, SECONDS,
                        seconds(begin)));
                report.add(new Row("a processor until a node is ready", peer, SECONDS, processor));
                report.add(new Row("classes loaded until a node is ready", peer, Unit.lower("classes"),
                        classes));
                measure(nodes, peer, settings, report);
                if (isFull) {
                    restarts(nodes, peer, report);
                    faults(nodes, peer, report);
                }
            }
        }
        if (isFull) {
            many(report);
        }
    }

    private static Row row(String group, String peer, Unit unit, double value) {
        return new Row(group, peer, unit, Samples.of(Math.max(value, 1e-3)));
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private static void measure(CounterNodes nodes, String peer, Settings settings, Report report)
            throws IOException {
        int asks = settings.pick(5_000, 0, 50);
        int tells = settings.pick(300_000, 0, 1_000);
        var remote = new Samples();
        var local = new Samples();
        var flight = new Samples();
        for (int i = 0; i < settings.pick(3, 0, 1); i++) {
            remote.add(Double.parseDouble(nodes.ask("a", "remote " + asks)));
            local.add(Double.parseDouble(nodes.ask("a", "local " + asks)));
            flight.add(Double.parseDouble(nodes.ask("a", "flight " + settings.pick(8, 0, 1))));
        }
        report.add(new Row("an ask to another node", peer, MICROS, remote));
        report.add(new Row("an ask to this node, through the shared group", peer, MICROS, local));
        report.add(new Row("64 asks in flight to other nodes", peer, SPEED, flight));
        var floods = new Samples();
        for (int i = 0; i < settings.pick(3, 0, 1); i++) {
            var before = nodes.handled();
            var told = nodes.ask("a", "flood " + tells).split(" ");
            var handled = nodes.awaitHandled(before + tells) - before;
            floods.add(handled / Double.parseDouble(told[0]));
            report.note(
                    "%s: of %,d tells %,d were not handled, of which the sender was told %s at once"
                            .formatted(
                                    peer, tells, tells - handled, told[1]));
            mustBeNone(peer, "tells were not handled", "" + (tells - handled));
        }
        report.add(new Row("a flood of %,d tells to other nodes".formatted(tells), peer, TELLS, floods));
    }

    private static void mustBeNone(String peer, String what, String number) {
        if (peer.equals("Fibry") && !number.equals("0")) {
            throw new AssertionError(number + " " + what);
        }
    }

    /** Each node in turn, while the other two ask. */
    private static void restarts(CounterNodes nodes, String peer, Report report) throws IOException {
        var failed = 0L;
        var asks = 0L;
        var slow = new ArrayList<Double>();
        var begin = System.nanoTime();
        for (var each : List.of("c", "b", "a")) {
            var others = List.of("a", "b", "c").stream().filter(name -> !name.equals(each)).toList();
            for (var name : others) {
                nodes.ask(name, "begin " + PER_SECOND);
            }
            nodes.ask(each, "leave");
            nodes.kill(each);
            nodes.restart(each);
            nodes.awaitSpread();
            for (var name : others) {
                var said = nodes.ask(name, "end").split(" ");
                failed += Long.parseLong(said[0]);
                asks += Long.parseLong(said[1]);
                slow.add(Double.parseDouble(said[2]));
            }
        }
        report.add(row("three restarts one after the other, all", peer, SECONDS, seconds(begin)));
        report.add(new Row("asks meanwhile, 2,000/s", peer, MILLIS,
                Samples.of(slow.stream().mapToDouble(Double::doubleValue).toArray())));
        report.note("%s: of %,d asks during the restarts %,d have failed".formatted(peer, asks, failed));
        mustBeNone(peer, "asks have failed during restarts", "" + failed);
    }

    @SuppressWarnings("try") // the node is frozen until the end of the block
    private static void faults(CounterNodes nodes, String peer, Report report) throws Exception {
        var begin = System.nanoTime();
        nodes.kill("c");
        nodes.awaitServed();
        report.add(row("all keys are served again after a kill -9", peer, SECONDS, seconds(begin)));
        nodes.restart("c");
        nodes.awaitSpread();
        begin = System.nanoTime();
        try (var frozen = nodes.freeze("c")) {
            nodes.awaitServed();
            report.add(row("all keys are served again after a freeze", peer, SECONDS, seconds(begin)));
        }
        if (peer.equals("Fibry")) { // Pekko's last node ends itself, since most of them are gone
            nodes.restart("c");
            nodes.awaitSpread();
            begin = System.nanoTime();
            nodes.kill("b");
            nodes.kill("c");
            nodes.awaitServed();
            report.add(row("all keys are served again after two of three are killed", peer, SECONDS,
                    seconds(begin)));
        }
    }

    /** Many nodes, and many slices, in this process, on a PostgreSQL server. */
    private static void many(Report report) throws Exception {
        try (var nodes = ManyNodes.start(0)) {
            for (int i = 1; i < MANY; i++) {
                nodes.add();
            }
            var begin = System.nanoTime();
            nodes.add();
            report.add(row("one more node joins %d others".formatted(MANY - 1), "Fibry", SECONDS,
                    seconds(begin)));
            var load = nodes.atRest(REST);
            report.add(row("the database of %d nodes at rest".formatted(MANY), "Fibry",
                    Unit.lower("processors"), load.processors()));
            report.add(row("the log of the database of %d nodes at rest".formatted(MANY), "Fibry",
                    Unit.lower("KiB/s"), load.logBytes() / KIB));
        }
        try (var nodes = ManyNodes.start(GROUPS)) {
            for (int i = 0; i < 3; i++) {
                nodes.add();
            }
            nodes.awaitSpread();
            var begin = System.nanoTime();
            nodes.leave();
            nodes.awaitSpread();
            report.add(
                    row("a third of 25,600 slices moves: a node leaves", "Fibry", SECONDS, seconds(begin)));
            begin = System.nanoTime();
            nodes.add();
            nodes.awaitSpread();
            report.add(row("a third of 25,600 slices moves: a node joins", "Fibry", SECONDS, seconds(begin)));
        }
    }
}
