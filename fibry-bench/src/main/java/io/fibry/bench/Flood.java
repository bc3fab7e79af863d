package io.fibry.bench;

import io.fibry.bench.Twin.Count;
import io.fibry.bench.jmh.CounterKind;
import io.fibry.bench.jmh.FloodBenchmark;
import io.fibry.bench.jmh.FloodBenchmark.Sender;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;

/** Measures how many messages one receiver gets from platform threads. */
final class Flood implements Experiment {
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
            lines.add(of(Peers.FIBERS, senders, Receiver.FIBERS).article(7.5, ""));
            lines.add(Line.of(group(senders), Peers.FIBERS_LANES_OFF,
                    jmh(senders, Receiver.FIBERS).jvmArgs(Peers.LANES_OFF)).notQuick());
            lines.add(of(Peers.THREADS, senders, Receiver.THREADS).article(8.5, "").notQuick());
            lines.add(of(Peers.POOL, senders, Receiver.POOL).notQuick());
            lines.add(of(Peers.PEKKO, senders, Receiver.PEKKO));
            lines.add(of(Peers.KOTLIN, senders, Receiver.KOTLIN));
            lines.addAll(Twin.each(group(senders), Count.millionsInASecond(FloodBenchmark.MESSAGES), "flood",
                    senders));
            lines.add(of(Peers.VIRTUAL_JCTOOLS, senders, Receiver.VIRTUAL_JCTOOLS));
            lines.add(of(Peers.VIRTUAL_TRANSFER, senders, Receiver.VIRTUAL_TRANSFER));
            lines.add(of(Peers.VIRTUAL_BLOCKING, senders, Receiver.VIRTUAL_BLOCKING).notQuick());
            lines.add(of(Peers.PLATFORM_TRANSFER, senders, Receiver.PLATFORM_TRANSFER).notQuick());
            lines.add(of(Peers.PLATFORM_BLOCKING, senders, Receiver.PLATFORM_BLOCKING).notQuick());
            lines.add(ideal(Peers.FIBERS, senders, Receiver.FIBERS));
            lines.add(ideal(Peers.PEKKO, senders, Receiver.PEKKO));
            lines.add(ideal(Peers.KOTLIN, senders, Receiver.KOTLIN));
            lines.add(ideal(Peers.VIRTUAL_JCTOOLS, senders, Receiver.VIRTUAL_JCTOOLS));
        }
        var rows = JmhRun.turns(settings, Unit.higher("M messages/s")).run(lines, settings, report);
        for (int senders : new int[]{1, 4}) {
            Turns.ratio(rows, group(senders), Peers.FIBERS, Language.GO.peer, ">= 1.3", report);
            Turns.ratio(rows, group(senders), Peers.FIBERS, Peers.VIRTUAL_JCTOOLS, ">= 1.2", report);
        }
    }

    private static Line of(String peer, int senders, Receiver receiver) {
        var line = Line.of(group(senders), peer, jmh(senders, receiver));
        return senders == 1 ? line : line.notQuick();
    }

    /** Returns a line without what a program's own objects cost. */
    private static Line ideal(String peer, int senders, Receiver receiver) {
        return Line.of(group(senders) + ", one message, a padded count", peer,
                jmh(senders, receiver).with("fresh", false).with("counter", CounterKind.PADDED)).fullOnly();
    }

    private static String group(int senders) {
        return senders + " → 1";
    }

    private static JmhRun jmh(int senders, Receiver receiver) {
        return jmh(senders, receiver, Sender.PLATFORM);
    }

    /** Returns a flood to one receiver, of messages and a count as a program has them. */
    static JmhRun jmh(int senders, Receiver receiver, Sender from) {
        return JmhRun.of(FloodBenchmark.class, "flood").with("senders", senders).with("receiver", receiver)
                .with("from", from).with("receivers", 1).operations("messages", 0).inMillions();
    }
}
