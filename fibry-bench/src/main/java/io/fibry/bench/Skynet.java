package io.fibry.bench;

import io.fibry.bench.Jmh.Case;
import io.fibry.bench.jmh.Peer;
import io.fibry.bench.jmh.SkynetBenchmark;
import io.fibry.bench.report.Report;
import java.util.List;
import java.util.Map;

/** A tree of a million that is made, counted and gone. */
final class Skynet implements Experiment {
    @Override
    public String name() {
        return "skynet";
    }

    @Override
    public String what() {
        return "each starts ten, down to 1,000,000 leaves, which send their numbers up to be added";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        new Jmh(name(), "ms", 1, "leaves", List.of(of("actors on fibers", Peer.FIBERS, "<= 220"),
                of("by hand: virtual threads + LinkedTransferQueue", Peer.VIRTUAL, ""),
                of("Apache Pekko", Peer.PEKKO, ""))).run(settings, report);
    }

    private static Case of(String subject, Peer peer, String budget) {
        return new Case(subject, SkynetBenchmark.class.getName() + ".skynet", Map.of("peer", peer), budget,
                "");
    }
}
