package io.fibry.bench;

import io.fibry.bench.jmh.LatencyRun;
import io.fibry.bench.jmh.LatencyRun.Work;
import io.fibry.bench.jmh.Peer;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Measures how long messages take while the processors have work. */
final class Latency implements Experiment {
    private static final String P99 = ", 99 of 100";
    private static final int COMPUTING = 8;
    private static final Map<Peer, String> PEERS = new LinkedHashMap<>();

    static {
        PEERS.put(Peer.FIBERS, Peers.FIBERS);
        PEERS.put(Peer.PEKKO, Peers.PEKKO);
        PEERS.put(Peer.KOTLIN, Peers.KOTLIN);
        PEERS.put(Peer.VIRTUAL, Peers.VIRTUAL_TRANSFER);
    }

    private final Map<String, Samples> medians = new LinkedHashMap<>();
    private final Map<String, Samples> worst = new LinkedHashMap<>();

    /** What 99 of 100 messages do not exceed is the value of a line; the rest becomes rows of its own. */
    private interface Run {
        Map<String, Double> nanos(Settings settings) throws IOException, InterruptedException;
    }

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String what() {
        return "a ping beside 8 that compute 1 ms for each message; requests at 0.5, 0.8 and 0.9 of what is possible";
    }

    @Override
    public String checks() {
        return "each request is served; a ping that is not answered within 2 s counts as 2 s";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(6);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (var work : Work.values()) {
            for (var fromVirtual : work.isPing() ? List.of(false, true) : List.of(false)) {
                var group = group(work, fromVirtual);
                for (var peer : PEERS.entrySet()) {
                    var line = line(group, peer.getValue(), jvm(peer.getKey(), work, fromVirtual, report));
                    line = work.isPing() && peer.getKey() == Peer.FIBERS ? line.mustBe(limit()) : line;
                    lines.add(isInQuick(work) && !fromVirtual ? line : line.fullOnly());
                }
                if (!fromVirtual) {
                    var go = line(group, Language.GO.peer, new GoRun(work));
                    lines.add(isInQuick(work) ? go.notSmoke() : go.fullOnly());
                }
            }
        }
        var unit = Unit.lower("ms");
        var rows = new Turns(unit, 0, settings.timesEach()).run(lines, settings, report);
        for (var work : Work.values()) {
            for (var other : work.isPing() ? List.<Peer>of() : List.of(Peer.VIRTUAL, Peer.PEKKO)) {
                Turns.ratio(rows, group(work, false) + P99, Peers.FIBERS, PEERS.get(other), "<= 1", report);
            }
        }
        for (var line : rows.keySet()) {
            var group = line.group().replace(P99, "");
            report.add(new Row(group + ", median", line.peer(), unit, medians.get(line.subject())));
            report.add(new Row(group + ", worst", line.peer(), unit, worst.get(line.subject())));
        }
    }

    private static boolean isInQuick(Work work) {
        return work == Work.RING || work == Work.NINE_TENTHS;
    }

    /** Twice what those that compute take in all, shared among the processors. */
    private static String limit() {
        return "<= " + Math.max(2, 2 * COMPUTING / Runtime.getRuntime().availableProcessors());
    }

    private static String group(Work work, boolean fromVirtual) {
        return switch (work) {
            case RING -> "a ping beside 8 in a ring";
            case THEMSELVES -> "a ping beside 8, each for itself";
            case HALF, FOUR_FIFTHS, NINE_TENTHS -> "requests at " + work.load() + " of what is possible";
        } + (fromVirtual ? ", from a virtual thread" : "");
    }

    private Line line(String group, String peer, Run run) {
        var line = group + P99;
        return Line.of(line, peer, new Measured() {
            @Override
            public void measure(Settings settings, Samples samples) throws Exception {
                var nanos = run.nanos(settings);
                samples.add(nanos.get("p99") / 1e6);
                note(medians, line + ", " + peer, nanos.get("median"));
                note(worst, line + ", " + peer, nanos.get("worst"));
            }

            @Override
            public Optional<String> missing() {
                return run instanceof GoRun && !Language.GO.isInstalled()
                        ? Optional.of(Language.GO.howToGetIt())
                        : Optional.empty();
            }
        });
    }

    private static void note(Map<String, Samples> all, String subject, double nanos) {
        all.computeIfAbsent(subject, unseen -> new Samples()).add(nanos / 1e6);
    }

    private static Run jvm(Peer peer, Work work, boolean fromVirtual, Report report) {
        return settings -> ChildJvm.run(List.of("-Xms1g", "-Xmx1g", "--sun-misc-unsafe-memory-access=allow"),
                LatencyRun.class,
                List.of(peer.name(), work.name(), "" + fromVirtual, "" + seconds(settings)),
                report::progress);
    }

    private static double seconds(Settings settings) {
        return settings.pick(4.0, 0.15, 0.02);
    }

    /** The same in Go. */
    private record GoRun(Work work) implements Run {
        private static final List<String> RESULTS = List.of("median", "p99", "worst");

        @Override
        public Map<String, Double> nanos(Settings settings) throws IOException, InterruptedException {
            var printed = Language.GO.run(settings.logs(), List.of("latency", "" + work.ordinal(),
                    "" + (int) (seconds(settings) * 1000), "1"));
            if (printed.size() != RESULTS.size()) {
                throw new IOException(Language.GO.peer + ", latency, said: " + printed);
            }
            var found = new LinkedHashMap<String, Double>();
            for (int i = 0; i < RESULTS.size(); i++) {
                found.put(RESULTS.get(i), Double.valueOf(printed.get(i)));
            }
            return found;
        }
    }
}
