package io.fibry.bench;

import io.fibry.bench.Jmh.Case;
import io.fibry.bench.jmh.FloodBenchmark;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import java.util.ArrayList;
import java.util.Map;

/** How many messages one receiver gets from platform threads. */
final class Flood implements Experiment {
    @Override
    public String name() {
        return "flood";
    }

    @Override
    public String what() {
        return "1 or 4 platform threads send to one receiver as fast as they can";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var cases = new ArrayList<Case>();
        for (int senders : new int[]{1, 4}) {
            cases.add(of("fibers", senders, Receiver.FIBERS, senders == 1 ? ">= 30" : ">= 40", "7.5"));
            cases.add(of("threads", senders, Receiver.THREADS, "", "8.5"));
            cases.add(of("pool(2)", senders, Receiver.POOL, "", ""));
            cases.add(of("by hand: virtual thread + LinkedTransferQueue", senders, Receiver.VIRTUAL_TRANSFER,
                    "", ""));
            cases.add(of("by hand: virtual thread + LinkedBlockingQueue", senders, Receiver.VIRTUAL_BLOCKING,
                    "", ""));
            cases.add(of("by hand: thread + LinkedTransferQueue", senders, Receiver.PLATFORM_TRANSFER, "",
                    ""));
            cases.add(of("by hand: thread + LinkedBlockingQueue", senders, Receiver.PLATFORM_BLOCKING, "",
                    ""));
        }
        new Jmh(name(), "M messages/s", 1e-6, "messages", cases).run(settings, report);
    }

    private static Case of(String subject, int senders, Receiver receiver, String budget, String article) {
        return new Case(senders + " -> 1, " + subject, FloodBenchmark.class.getName() + ".flood",
                Map.of("senders", senders, "receiver", receiver, "fromFibers", false), budget, article);
    }
}
