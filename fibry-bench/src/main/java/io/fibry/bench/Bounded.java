package io.fibry.bench;

import io.fibry.bench.jmh.BoundedBenchmark;
import io.fibry.bench.jmh.BoundedPeer;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.List;

/** Measures the cost of a bounded mailbox, for each policy of a full mailbox. */
final class Bounded implements Experiment {
    @Override
    public String name() {
        return "bounded";
    }

    @Override
    public String what() {
        return "one sends to one whose mailbox takes 1,000, as fast as it can, until all are handled or lost";
    }

    @Override
    public String checks() {
        return "handled and lost together are what was sent; who waits loses nothing";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        JmhRun.turns(settings, Unit.higher("M messages/s")).run(List.of(
                of("the sender waits", Peers.FIBERS, BoundedPeer.FIBRY_BLOCK),
                of("the sender waits", "virtual threads + ArrayBlockingQueue", BoundedPeer.VIRTUAL_BLOCK),
                of("the sender waits", "Apache Pekko, BoundedMailbox", BoundedPeer.PEKKO_BLOCK),
                of("the sender waits", Peers.KOTLIN, BoundedPeer.KOTLIN_BLOCK),
                of("the new one is dropped", Peers.FIBERS, BoundedPeer.FIBRY_DROP_NEWEST),
                of("the new one is dropped", "virtual threads + ArrayBlockingQueue",
                        BoundedPeer.VIRTUAL_DROP_NEWEST).notQuick(),
                of("the new one is dropped", Peers.KOTLIN, BoundedPeer.KOTLIN_DROP_NEWEST).notQuick(),
                of("the oldest is dropped", Peers.FIBERS, BoundedPeer.FIBRY_DROP_OLDEST).notQuick(),
                of("the oldest is dropped", Peers.KOTLIN, BoundedPeer.KOTLIN_DROP_OLDEST).notQuick(),
                of("the new one is refused", Peers.FIBERS, BoundedPeer.FIBRY_REJECT).notQuick(),
                of("the sender gets an exception", Peers.FIBERS, BoundedPeer.FIBRY_FAIL).notQuick()),
                settings, report);
    }

    private static Line of(String group, String peer, BoundedPeer who) {
        return Line.of(group, peer, JmhRun.of(BoundedBenchmark.class, "send").with("peer", who)
                .operations("messages", 100_000).inMillions());
    }
}
