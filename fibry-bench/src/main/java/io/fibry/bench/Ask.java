package io.fibry.bench;

import io.fibry.bench.Jmh.Case;
import io.fibry.bench.jmh.AskBenchmark;
import io.fibry.bench.jmh.Asker;
import io.fibry.bench.report.Report;
import java.util.List;
import java.util.Map;

/** How long an ask and its answer take. */
final class Ask implements Experiment {
    @Override
    public String name() {
        return "ask";
    }

    @Override
    public String what() {
        return "asks 250,000 times and waits for each answer (the article's snippet)";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        new Jmh(name(), "ns/ask", 1, "asks", List.of(
                of("fibers", Asker.FIBERS, "<= 100", "6,000 (1,500 ms)"),
                of("threads", Asker.THREADS, "", "18,800 (4,700 ms)"),
                of("pool(2)", Asker.POOL, "", ""),
                of("a thread that is not ours asks a fiber", Asker.FROM_OUTSIDE, "", ""),
                of("a virtual thread that is not ours asks a fiber", Asker.FROM_VIRTUAL, "", ""),
                of("a virtual thread runs an idle fiber (runByCallers, apply)", Asker.IN_PLACE, "<= 150", ""),
                of("a virtual thread takes a fiber's turn (runByCallers, get)", Asker.SHARED, "<= 700", ""),
                of("by hand: virtual threads + LinkedTransferQueue", Asker.VIRTUAL_TRANSFER, "", ""),
                of("by hand: virtual threads + LinkedBlockingQueue", Asker.VIRTUAL_BLOCKING, "", ""),
                of("by hand: threads + LinkedBlockingQueue", Asker.PLATFORM_BLOCKING, "", "")))
                .run(settings, report);
    }

    private static Case of(String subject, Asker asker, String budget, String article) {
        return new Case(subject, AskBenchmark.class.getName() + ".ask", Map.of("asker", asker), budget,
                article);
    }
}
