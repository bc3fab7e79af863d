package io.fibry.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.fibry.bench.jmh.PatternPeer;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures what programs write every day in turns with its peers, and what an operation costs beside its speed. */
final class Everyday implements Experiment {
    /** Those of one case take turns; the first is ours. */
    private static final Map<String, List<PatternPeer>> CASES = cases();

    /** What an operation has cost in one measurement. */
    private record Cost(double nanos, double bytes) {
    }

    private static Map<String, List<PatternPeer>> cases() {
        var all = new LinkedHashMap<String, List<PatternPeer>>();
        all.put("a pool of 2",
                List.of(PatternPeer.POOL_FIBRY, PatternPeer.POOL_EXECUTOR, PatternPeer.POOL_PEKKO));
        all.put("a topic with 4 subscribers",
                List.of(PatternPeer.TOPIC_FIBRY, PatternPeer.TOPIC_SUBMISSION, PatternPeer.TOPIC_PEKKO));
        all.put("source, stage, consumer",
                List.of(PatternPeer.FLOW_FIBRY, PatternPeer.FLOW_SUBMISSION, PatternPeer.FLOW_REACTOR));
        all.put("a stage that works on 2 values at a time",
                List.of(PatternPeer.FLOW_PARALLEL, PatternPeer.FLOW_SUBMISSION));
        all.put("a router by a key", List.of(PatternPeer.ROUTER_KEY, PatternPeer.ROUTER_TURNS));
        all.put("a state machine", List.of(PatternPeer.MACHINE, PatternPeer.PLAIN_ACTOR));
        all.put("a state machine with time-outs",
                List.of(PatternPeer.MACHINE_TIMED, PatternPeer.PLAIN_ACTOR));
        return all;
    }

    @Override
    public String name() {
        return "everyday";
    }

    @Override
    public String what() {
        return "pools, topics, flows, routers and state machines beside their peers, with CPU and bytes an operation";
    }

    @Override
    public String checks() {
        return "each message is handled once, in a topic once by each subscriber";
    }

    /** Returns no time: a quick run leaves out all lines. */
    @Override
    public Duration quickTime() {
        return Duration.ZERO;
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int messages = settings.count(500_000, 500_000, 500);
        for (var each : CASES.entrySet()) {
            var costs = new LinkedHashMap<PatternPeer, List<Cost>>();
            var lines = each.getValue().stream()
                    .map(peer -> Line.of(each.getKey(), peer.name(), (own, samples) -> {
                        for (int i = 0; i < settings.pick(5, 1, 1); i++) {
                            costs.computeIfAbsent(peer, any -> new ArrayList<>())
                                    .add(measure(peer, messages, samples));
                        }
                    }).notQuick()).toList();
            var warmUps = settings.pick(1, 0, 0);
            var rows = new Turns(Unit.higher("M messages/s"), warmUps, settings.timesEach()).run(lines,
                    settings, report);
            lines.stream().skip(1).forEach(peer -> Turns.ratio(rows, lines.getFirst(), peer, "", report));
            costs.forEach((peer,
                    all) -> report.note("%s, %s: %.0f ns of CPU and %.0f bytes a message".formatted(
                            each.getKey(), peer, median(all.stream().mapToDouble(Cost::nanos).toArray()),
                            median(all.stream().mapToDouble(Cost::bytes).toArray()))));
        }
    }

    private static Cost measure(PatternPeer peer, int messages, Samples samples) throws Exception {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var nanos = system.getProcessCpuTime();
        var bytes = threads.getTotalThreadAllocatedBytes();
        var start = System.nanoTime();
        var handled = peer.use(messages);
        samples.add(messages * 1e3 / (System.nanoTime() - start));
        if (handled != (long) messages * peer.receivers()) {
            throw new AssertionError("%s: %,d messages were handled".formatted(peer, handled));
        }
        return new Cost((double) (system.getProcessCpuTime() - nanos) / messages,
                (double) (threads.getTotalThreadAllocatedBytes() - bytes) / messages);
    }

    private static double median(double[] values) {
        var samples = new Samples();
        for (var value : values) {
            samples.add(value);
        }
        return samples.median();
    }
}
