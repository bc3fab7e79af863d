package io.fibry.bench;

import io.fibry.bench.jmh.FloodBenchmark.Sender;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;

/** Measures how many messages one receiver gets from actors on fibers, and from virtual threads that are no actors. */
final class FloodFromFibers implements Experiment {
    private static final List<Sender> FROM = List.of(Sender.FIBERS, Sender.VIRTUAL);

    @Override
    public String name() {
        return "flood-from-fibers";
    }

    @Override
    public String what() {
        return "1 or 4 actors on fibers, or virtual threads, send to one receiver, until all is handled";
    }

    @Override
    public String checks() {
        return "each message sent is handled once";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (var from : FROM) {
            for (int senders : new int[]{1, 4}) {
                lines.add(of(senders, from, Peers.FIBERS, Receiver.FIBERS));
                lines.add(Line.of(group(senders, from), Peers.FIBERS_LANES_OFF,
                        Flood.jmh(senders, Receiver.FIBERS, from).jvmArgs(Peers.LANES_OFF)).notQuick());
                lines.add(of(senders, from, Peers.PEKKO, Receiver.PEKKO));
                lines.add(of(senders, from, Peers.KOTLIN, Receiver.KOTLIN));
                lines.add(of(senders, from, Peers.VIRTUAL_JCTOOLS, Receiver.VIRTUAL_JCTOOLS));
                lines.add(of(senders, from, Peers.VIRTUAL_TRANSFER, Receiver.VIRTUAL_TRANSFER).notQuick());
                lines.add(of(senders, from, Peers.VIRTUAL_BLOCKING, Receiver.VIRTUAL_BLOCKING).notQuick());
            }
        }
        var rows = JmhRun.turns(settings, Unit.higher("M messages/s")).run(lines, settings, report);
        for (var from : FROM) {
            for (int senders : new int[]{1, 4}) {
                for (var peer : List.of(Peers.PEKKO, Peers.KOTLIN, Peers.VIRTUAL_JCTOOLS)) {
                    Turns.ratio(rows, group(senders, from), Peers.FIBERS, peer, ">= 1.5", report);
                }
            }
        }
    }

    private static Line of(int senders, Sender from, String peer, Receiver receiver) {
        var line = Line.of(group(senders, from), peer, Flood.jmh(senders, receiver, from));
        return from == Sender.FIBERS && senders == 1 ? line : line.notQuick();
    }

    private static String group(int senders, Sender from) {
        return senders + " → 1" + (from == Sender.FIBERS ? "" : ", virtual threads");
    }
}
