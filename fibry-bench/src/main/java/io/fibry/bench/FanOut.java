package io.fibry.bench;

import io.fibry.bench.jmh.FanOutBenchmark;
import io.fibry.bench.jmh.Peer;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.List;

/** Measures how fast one actor sends to many others. */
final class FanOut implements Experiment {
    @Override
    public String name() {
        return "fan-out";
    }

    @Override
    public String what() {
        return "one sends a message to each of 1,000, and again when all have handled it";
    }

    @Override
    public String checks() {
        return "each of the 1,000 handles each of its messages once";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int receivers = settings.pick(1_000, 1_000, 100);
        JmhRun.turns(settings, Unit.higher("M messages/s")).run(List.of(
                of(receivers, Peers.FIBERS, Peer.FIBERS),
                of(receivers, Peers.VIRTUAL_TRANSFER, Peer.VIRTUAL),
                of(receivers, Peers.PEKKO, Peer.PEKKO),
                of(receivers, Peers.KOTLIN, Peer.KOTLIN)), settings, report);
    }

    private static Line of(int receivers, String peer, Peer who) {
        return Line.of("1 → %,d".formatted(receivers), peer, JmhRun.of(FanOutBenchmark.class, "fanOut")
                .with("receivers", receivers).with("peer", who).operations("messages", 100_000).inMillions());
    }
}
