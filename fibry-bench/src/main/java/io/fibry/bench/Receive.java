package io.fibry.bench;

import io.fibry.bench.jmh.ReceiveBenchmark;
import io.fibry.bench.jmh.ReceivingPeer;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;

/** Measures the cost of code that takes messages itself, in order or by their type. */
final class Receive implements Experiment {
    @Override
    public String name() {
        return "receive";
    }

    @Override
    public String what() {
        return "code that takes 100,000 messages itself, in order or those it wants, while a platform thread sends";
    }

    @Override
    public String checks() {
        return "the sum of the numbers received; those not wanted are still there";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        lines.add(of("in order", Peers.FIBERS, ReceivingPeer.FIBRY, false, 0));
        lines.add(of("in order", Peers.VIRTUAL_TRANSFER, ReceivingPeer.VIRTUAL, false, 0));
        lines.add(of("in order", Peers.KOTLIN, ReceivingPeer.KOTLIN, false, 0));
        for (int others : new int[]{0, 100}) {
            var group = "by type, %d others lie before".formatted(others);
            lines.add(of(group, Peers.FIBERS, ReceivingPeer.FIBRY, true, others));
            lines.add(of(group, "virtual thread + queue + saved messages", ReceivingPeer.VIRTUAL, true,
                    others));
        }
        JmhRun.turns(settings, Unit.lower("ns/message")).run(lines, settings, report);
    }

    private static Line of(String group, String peer, ReceivingPeer who, boolean selective, int others) {
        var line = Line.of(group, peer, JmhRun.of(ReceiveBenchmark.class, "receive").with("peer", who)
                .with("selective", selective).with("others", others).operations("messages", 20_000));
        return selective && others == 0 ? line.notQuick() : line;
    }
}
