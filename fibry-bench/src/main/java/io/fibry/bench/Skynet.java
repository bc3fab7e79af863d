package io.fibry.bench;

import io.fibry.bench.Twin.Count;
import io.fibry.bench.jmh.Peer;
import io.fibry.bench.jmh.SkynetBenchmark;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;

/** Measures a tree of a million actors that are made, counted and stopped. */
final class Skynet implements Experiment {
    @Override
    public String name() {
        return "skynet";
    }

    @Override
    public String what() {
        return "each starts ten, down to 1,000,000 leaves (quick: 100,000), which send their numbers up to be added";
    }

    @Override
    public String checks() {
        return "the sum of the leaves' numbers";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int leaves = settings.pick(1_000_000, 100_000, 1_000);
        var lines = new ArrayList<>(List.of(
                of(leaves, Peers.FIBERS, Peer.FIBERS),
                of(leaves, Peers.VIRTUAL_TRANSFER, Peer.VIRTUAL),
                of(leaves, Peers.PEKKO, Peer.PEKKO),
                of(leaves, Peers.KOTLIN, Peer.KOTLIN)));
        lines.addAll(Twin.each(group(leaves), Count.millisOfAll(leaves), "skynet", 0));
        var rows = JmhRun.turns(settings, Unit.lower("ms")).run(lines, settings, report);
        Turns.ratio(rows, group(leaves), Peers.FIBERS, Language.GO.peer, "<= 0.30", report);
    }

    private static String group(int leaves) {
        return "%,d leaves".formatted(leaves);
    }

    private static Line of(int leaves, String peer, Peer who) {
        return Line.of(group(leaves), peer, JmhRun.of(SkynetBenchmark.class, "skynet")
                .with("peer", who).with("leaves", leaves));
    }
}
