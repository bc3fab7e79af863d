package io.fibry.bench;

import io.fibry.bench.jmh.Peer;
import io.fibry.bench.jmh.TellBenchmark;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;

/** Measures the cost of telling an actor something. */
final class Tell implements Experiment {
    @Override
    public String name() {
        return "tell";
    }

    @Override
    public String what() {
        return "an actor tells another 1 or 100 things, waits until it is told that they are done, and tells again";
    }

    @Override
    public String checks() {
        return "each thing told is handled once, and each answer comes";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (int burst : new int[]{1, 100}) {
            lines.add(of(burst, Peers.FIBERS, Peer.FIBERS));
            lines.add(of(burst, Peers.VIRTUAL_TRANSFER, Peer.VIRTUAL));
            lines.add(of(burst, Peers.PEKKO, Peer.PEKKO));
            lines.add(of(burst, Peers.KOTLIN, Peer.KOTLIN));
        }
        var rows = JmhRun.turns(settings, Unit.lower("ns/tell")).run(lines, settings, report);
        Turns.ratio(rows, group(1), Peers.FIBERS, Peers.KOTLIN, "<= 0.45", report);
    }

    private static String group(int burst) {
        return burst == 1 ? "tell and tell back" : "%d at a time".formatted(burst);
    }

    private static Line of(int burst, String peer, Peer who) {
        var line = Line.of(group(burst), peer,
                JmhRun.of(TellBenchmark.class, "tell").with("burst", burst).with("peer", who)
                        .operations("tells", 100_000));
        return burst == 1 ? line : line.notQuick();
    }
}
