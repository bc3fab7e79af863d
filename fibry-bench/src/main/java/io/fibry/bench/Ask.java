package io.fibry.bench;

import io.fibry.bench.Twin.Count;
import io.fibry.bench.jmh.AskBenchmark;
import io.fibry.bench.jmh.Asker;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;

/** Measures how long an ask and its answer take. */
final class Ask implements Experiment {
    private static final String ACTORS = "an actor asks another";
    private static final String OUTSIDE = "a platform thread asks";
    private static final String VIRTUAL = "a virtual thread asks";
    /**
     * The number of asks where a platform thread waits for each answer. Such an ask takes as long as a thread takes to
     * wake up.
     */
    private static final int SLOW = 25_000;
    private static final int SLOW_QUICK = 2_000;

    @Override
    public String name() {
        return "ask";
    }

    @Override
    public String what() {
        return "asks for the square of a number, waits for the answer, and asks again";
    }

    @Override
    public String checks() {
        return "the sum of the answers";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var fromVirtual = of(VIRTUAL, Peers.FIBERS, Asker.FROM_VIRTUAL).notQuick();
        var limitedFromVirtual =
                of(VIRTUAL, "Fibry, with a time limit", Asker.FROM_VIRTUAL_LIMITED).notQuick();
        var inPlace = of(ACTORS, "Fibry, runByCallers", Asker.UNLIMITED_IN_PLACE).notQuick();
        var limitedInPlace =
                of(ACTORS, "Fibry, runByCallers, with a time limit", Asker.LIMITED_IN_PLACE).notQuick();
        var applied = of(VIRTUAL, "Fibry, runByCallers, apply", Asker.IN_PLACE).notQuick();
        var shared = of(VIRTUAL, "Fibry, runByCallers, get", Asker.SHARED).notQuick();
        var byHand = of(ACTORS, Peers.VIRTUAL_TRANSFER, Asker.VIRTUAL_TRANSFER);
        var lines = new ArrayList<>(List.of(
                of(ACTORS, Peers.FIBERS, Asker.FIBERS).article(6_000,
                        "1,500 ms for 250,000"),
                Line.of(ACTORS, Peers.FIBERS_LANES_OFF, jmh(Asker.FIBERS).jvmArgs(Peers.LANES_OFF)),
                of(ACTORS, "Fibry, ownStack", Asker.OWN_STACK).notQuick(),
                of(ACTORS, "Fibry, with a time limit", Asker.LIMITED).notQuick(),
                inPlace,
                limitedInPlace,
                slow(ACTORS, Peers.THREADS, Asker.THREADS).article(18_800, "4,700 ms for 250,000"),
                slow(ACTORS, Peers.POOL, Asker.POOL),
                of(ACTORS, "Apache Pekko, ask and pipe", Asker.PEKKO),
                of(ACTORS, "Kotlin, CompletableDeferred", Asker.KOTLIN),
                byHand,
                of(ACTORS, Peers.VIRTUAL_BLOCKING, Asker.VIRTUAL_BLOCKING).notQuick(),
                slow(ACTORS, Peers.PLATFORM_BLOCKING, Asker.PLATFORM_BLOCKING),
                slow(OUTSIDE, Peers.FIBERS, Asker.FROM_OUTSIDE),
                slow(OUTSIDE, "Apache Pekko, ask", Asker.PEKKO_FROM_OUTSIDE),
                fromVirtual,
                limitedFromVirtual,
                applied,
                shared));
        lines.addAll(Twin.each(ACTORS, Count.nanosEach(AskBenchmark.ASKS), "ask", 0));
        var rows = JmhRun.turns(settings, Unit.lower("ns/ask")).run(lines, settings, report);
        Turns.ratio(rows, ACTORS, Peers.FIBERS, Language.GO.peer, "<= 0.30", report);
        Turns.ratio(rows, fromVirtual, byHand, "<= 1.0", report);
        Turns.ratio(rows, applied, byHand, "<= 0.15", report);
        Turns.ratio(rows, shared, byHand, "<= 0.45", report);
        Turns.ratio(rows, limitedFromVirtual, fromVirtual, "<= 1.8", report);
        Turns.ratio(rows, limitedInPlace, inPlace, "<= 2.2", report);
    }

    private static Line of(String group, String peer, Asker asker) {
        return Line.of(group, peer, jmh(asker));
    }

    private static Line slow(String group, String peer, Asker asker) {
        return Line.of(group, peer, jmh(asker).with("asks", SLOW).operations("asks", SLOW_QUICK)).notQuick();
    }

    private static JmhRun jmh(Asker asker) {
        return JmhRun.of(AskBenchmark.class, "ask").with("asker", asker).operations("asks", 50_000);
    }
}
