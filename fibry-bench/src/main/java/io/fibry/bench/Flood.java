package io.fibry.bench;

import io.fibry.bench.Twin.Count;
import io.fibry.bench.jmh.FloodBenchmark;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** Measures how many messages one receiver gets from platform threads. */
final class Flood implements Experiment {
    /** The receivers that are also measured with an object of its own for each message. */
    private static final Map<String, Receiver> FRESH = new LinkedHashMap<>();

    static {
        FRESH.put(Peers.FIBERS, Receiver.FIBERS);
        FRESH.put(Peers.PEKKO, Receiver.PEKKO);
        FRESH.put(Peers.KOTLIN, Receiver.KOTLIN);
        FRESH.put(Peers.VIRTUAL_TRANSFER, Receiver.VIRTUAL_TRANSFER);
    }

    @Override
    public String name() {
        return "flood";
    }

    @Override
    public String what() {
        return "1 or 4 platform threads send to one receiver as fast as they can, until all is handled";
    }

    @Override
    public String checks() {
        return "each message sent is handled once";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (int senders : new int[]{1, 4}) {
            for (var each : FRESH.entrySet()) {
                var line = Line.of(group(senders) + ", a fresh message each", each.getKey(),
                        jmh(senders, each.getValue()).with("fresh", true));
                lines.add(senders == 1 ? line : line.notQuick());
            }
            lines.add(of(Peers.FIBERS, senders, Receiver.FIBERS).notQuick()
                    .mustBe(senders == 1 ? ">= 30" : ">= 40")
                    .article(7.5, ""));
            lines.add(Line.of(group(senders), Peers.FIBERS_LANES_OFF,
                    jmh(senders, Receiver.FIBERS).jvmArgs(Peers.LANES_OFF)).notQuick());
            lines.add(of(Peers.THREADS, senders, Receiver.THREADS).article(8.5, "").notQuick());
            lines.add(of(Peers.POOL, senders, Receiver.POOL).notQuick());
            lines.add(of(Peers.PEKKO, senders, Receiver.PEKKO).notQuick());
            lines.add(of(Peers.KOTLIN, senders, Receiver.KOTLIN).notQuick());
            lines.addAll(Twin.each(group(senders), Count.millionsInASecond(FloodBenchmark.MESSAGES), "flood",
                    senders));
            lines.add(of(Peers.VIRTUAL_TRANSFER, senders, Receiver.VIRTUAL_TRANSFER).notQuick());
            lines.add(of(Peers.VIRTUAL_BLOCKING, senders, Receiver.VIRTUAL_BLOCKING).notQuick());
            lines.add(of(Peers.PLATFORM_TRANSFER, senders, Receiver.PLATFORM_TRANSFER).notQuick());
            lines.add(of(Peers.PLATFORM_BLOCKING, senders, Receiver.PLATFORM_BLOCKING).notQuick());
        }
        JmhRun.turns(settings, Unit.higher("M messages/s")).run(lines, settings, report);
    }

    private static Line of(String peer, int senders, Receiver receiver) {
        return Line.of(group(senders), peer, jmh(senders, receiver));
    }

    private static String group(int senders) {
        return senders + " → 1";
    }

    private static JmhRun jmh(int senders, Receiver receiver) {
        return JmhRun.of(FloodBenchmark.class, "flood").with("senders", senders).with("receiver", receiver)
                .with("fromFibers", false).with("receivers", 1).operations("messages", 0).inMillions();
    }
}
