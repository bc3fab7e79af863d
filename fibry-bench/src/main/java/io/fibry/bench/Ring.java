package io.fibry.bench;

import io.fibry.bench.Twin.Count;
import io.fibry.bench.jmh.Peer;
import io.fibry.bench.jmh.RingBenchmark;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;

/** Measures the cost of passing a message on. */
final class Ring implements Experiment {
    private static final int[] SIZES = {503, 10_000};

    @Override
    public String name() {
        return "ring";
    }

    @Override
    public String what() {
        return "one message goes round among 503 and 10,000";
    }

    @Override
    public String checks() {
        return "how often the message was handed on";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (int size : SIZES) {
            lines.add(of(Peers.FIBERS, size, Peer.FIBERS));
            lines.add(of(Peers.VIRTUAL_TRANSFER, size, Peer.VIRTUAL));
            lines.add(of(Peers.PEKKO, size, Peer.PEKKO));
            lines.add(of(Peers.KOTLIN, size, Peer.KOTLIN));
            lines.addAll(Twin.each(group(size), Count.nanosEach(RingBenchmark.HOPS), "ring", size));
        }
        var rows = JmhRun.turns(settings, Unit.lower("ns/hop")).run(lines, settings, report);
        for (int size : SIZES) {
            Turns.ratio(rows, group(size), Peers.FIBERS, Language.GO.peer, "<= 0.45", report);
        }
    }

    private static String group(int size) {
        return "%,d actors".formatted(size);
    }

    private static Line of(String peer, int size, Peer who) {
        var line = Line.of(group(size), peer, JmhRun.of(RingBenchmark.class, "ring")
                .with("size", size).with("peer", who).operations("hops", 200_000));
        return size == 10_000 ? line.notQuick() : line;
    }
}
