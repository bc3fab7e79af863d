package io.fibry.bench;

import io.fibry.bench.jmh.FloodBenchmark;
import io.fibry.bench.jmh.FloodBenchmark.Sender;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;

/** Measures the async messages of the article: threads against fibers when there are several senders. */
final class AsyncArticle implements Experiment {
    @Override
    public String name() {
        return "async-article";
    }

    @Override
    public String what() {
        return "1, 2 or 4 platform threads send to 1 or 4 actors as fast as they can, until all is handled";
    }

    @Override
    public String checks() {
        return "each message sent is handled once, and each actor gets its share";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (int receivers : new int[]{1, 4}) {
            for (int senders : new int[]{1, 2, 4}) {
                var inQuick = senders * receivers == 4 && senders != 2;
                lines.add(of(senders, receivers, Peers.FIBERS, Receiver.FIBERS, inQuick).article(7.5, ""));
                lines.add(of(senders, receivers, Peers.THREADS, Receiver.THREADS, inQuick).article(8.5, ""));
                lines.add(of(senders, receivers, Peers.PEKKO, Receiver.PEKKO, inQuick && receivers == 1));
            }
        }
        JmhRun.turns(settings, Unit.higher("M messages/s")).run(lines, settings, report);
    }

    private static Line of(int senders, int receivers, String peer, Receiver receiver, boolean inQuick) {
        var line = Line.of(senders + " → " + receivers, peer, JmhRun.of(FloodBenchmark.class, "flood")
                .with("senders", senders).with("receivers", receivers).with("receiver", receiver)
                .with("from", Sender.PLATFORM).operations("messages", 0).inMillions());
        return inQuick ? line : line.notQuick();
    }
}
