package io.fibry.bench;

import io.fibry.bench.jmh.CounterKind;
import io.fibry.bench.jmh.FloodBenchmark.Sender;
import io.fibry.bench.jmh.Receiver;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures whether what senders write shares a cache line with what handlers write. */
final class FalseSharing implements Experiment {
    private static final String PLAIN = Peers.FIBERS + ", plain counts";
    private static final String PADDED = Peers.FIBERS + ", padded counts";
    private static final Map<String, String> COLLECTORS =
            Map.of("G1", "-XX:+UseG1GC", "ParallelGC", "-XX:+UseParallelGC");

    @Override
    public String name() {
        return "false-sharing";
    }

    @Override
    public String what() {
        return "4 senders to an actor whose handler counts with objects made just before and after the actor";
    }

    @Override
    public String checks() {
        return "each message sent is handled once";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(2);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (var collector : List.of("G1", "ParallelGC")) {
            for (var young : List.of(true, false)) {
                var group = group(collector, young);
                var plain = Line.of(group, PLAIN, jmh(collector, young, CounterKind.AROUND));
                var padded = Line.of(group, PADDED, jmh(collector, young, CounterKind.PADDED_AROUND));
                var isMain = collector.equals("G1") && !young;
                lines.addAll(isMain ? List.of(plain, padded) : List.of(plain.notQuick(), padded.notQuick()));
            }
        }
        var rows = JmhRun.turns(settings, Unit.higher("M messages/s")).run(lines, settings, report);
        for (var collector : List.of("G1", "ParallelGC")) {
            for (var young : List.of(true, false)) {
                Turns.ratio(rows, group(collector, young), PLAIN, PADDED, ">= 0.9", report);
            }
        }
    }

    private static String group(String collector, boolean young) {
        return collector + (young ? ", young" : ", old");
    }

    /** All messages are the same object, so the collector has little to do and moves nothing. */
    private static JmhRun jmh(String collector, boolean young, CounterKind counter) {
        return Flood.jmh(4, Receiver.FIBERS, Sender.PLATFORM).with("fresh", false).with("young", young)
                .with("counter", counter).jvmArgs(COLLECTORS.get(collector));
    }
}
