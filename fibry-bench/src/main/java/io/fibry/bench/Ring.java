package io.fibry.bench;

import io.fibry.bench.Jmh.Case;
import io.fibry.bench.jmh.Peer;
import io.fibry.bench.jmh.RingBenchmark;
import io.fibry.bench.report.Report;
import java.util.ArrayList;
import java.util.Map;

/** What it costs to hand a message on. */
final class Ring implements Experiment {
    @Override
    public String name() {
        return "ring";
    }

    @Override
    public String what() {
        return "one message goes round among 2 (tell and tell back), 503 and 10,000";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var cases = new ArrayList<Case>();
        for (int size : new int[]{2, 503, 10_000}) {
            // A round trip between two is two hops.
            cases.add(of("actors on fibers", size, Peer.FIBERS, size == 2 ? "<= 65" : "<= 70"));
            cases.add(of("by hand: virtual threads + LinkedTransferQueue", size, Peer.VIRTUAL, ""));
            cases.add(of("Apache Pekko", size, Peer.PEKKO, ""));
        }
        new Jmh(name(), "ns/hop", 1, "hops", cases).run(settings, report);
    }

    private static Case of(String subject, int size, Peer peer, String budget) {
        return new Case("%,d %s".formatted(size, subject), RingBenchmark.class.getName() + ".ring",
                Map.of("size", size, "peer", peer), budget, "");
    }
}
