package io.fibry.bench;

import io.fibry.bench.jmh.FloodBenchmark;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;

/** Measures how many messages one receiver gets from actors on fibers. */
final class FloodFromFibers implements Experiment {
    @Override
    public String name() {
        return "flood-from-fibers";
    }

    @Override
    public String what() {
        return "1 or 4 actors on fibers send to one receiver as fast as they can, until all is handled";
    }

    @Override
    public String checks() {
        return "each message sent is handled once";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (int senders : new int[]{1, 4}) {
            lines.add(Line.of(group(senders), Peers.FIBERS, jmh(senders, Receiver.FIBERS)));
            lines.add(Line.of(group(senders), Peers.FIBERS_LANES_OFF,
                    jmh(senders, Receiver.FIBERS).jvmArgs(Peers.LANES_OFF)).notQuick());
            lines.add(Line.of(group(senders), Peers.VIRTUAL_TRANSFER,
                    jmh(senders, Receiver.VIRTUAL_TRANSFER)));
            lines.add(Line.of(group(senders), Peers.VIRTUAL_BLOCKING,
                    jmh(senders, Receiver.VIRTUAL_BLOCKING)).notQuick());
        }
        JmhRun.turns(settings, Unit.higher("M messages/s")).run(lines, settings, report);
    }

    private static String group(int senders) {
        return senders + " → 1";
    }

    private static JmhRun jmh(int senders, Receiver receiver) {
        return JmhRun.of(FloodBenchmark.class, "flood").with("senders", senders).with("receiver", receiver)
                .with("fromFibers", true).with("receivers", 1).operations("messages", 0).inMillions();
    }
}
