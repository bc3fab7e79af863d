package io.fibry.bench;

import io.fibry.bench.Jmh.Case;
import io.fibry.bench.jmh.FloodBenchmark;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import java.util.ArrayList;
import java.util.Map;

/** How many messages one receiver gets from actors on fibers. */
final class FloodFromFibers implements Experiment {
    @Override
    public String name() {
        return "flood-from-fibers";
    }

    @Override
    public String what() {
        return "1 or 4 actors on fibers send to one receiver as fast as they can";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var cases = new ArrayList<Case>();
        for (int senders : new int[]{1, 4}) {
            cases.add(of("fibers", senders, Receiver.FIBERS));
            cases.add(
                    of("by hand: virtual thread + LinkedTransferQueue", senders, Receiver.VIRTUAL_TRANSFER));
            cases.add(
                    of("by hand: virtual thread + LinkedBlockingQueue", senders, Receiver.VIRTUAL_BLOCKING));
        }
        new Jmh(name(), "M messages/s", 1e-6, "messages", cases).run(settings, report);
    }

    private static Case of(String subject, int senders, Receiver receiver) {
        return new Case(senders + " -> 1, " + subject, FloodBenchmark.class.getName() + ".flood",
                Map.of("senders", senders, "receiver", receiver, "fromFibers", true));
    }
}
