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
import java.util.function.ToDoubleFunction;

/** Measures what programs write every day in turns with its peers, and what an operation costs beside its speed. */
final class Everyday implements Experiment {
    private static final String OURS = "Fibry";
    private static final Who SUBMISSION = new Who("SubmissionPublisher", PatternPeer.FLOW_SUBMISSION);
    private static final Who PLAIN = new Who("a plain actor", PatternPeer.PLAIN_ACTOR);
    private static final List<Case> CASES = List.of(
            new Case("a pool of 2", new Who(OURS, PatternPeer.POOL_FIBRY),
                    new Who("ThreadPoolExecutor", PatternPeer.POOL_EXECUTOR),
                    new Who("Apache Pekko", PatternPeer.POOL_PEKKO)),
            new Case("a topic with 4 subscribers", new Who(OURS, PatternPeer.TOPIC_FIBRY),
                    new Who("SubmissionPublisher", PatternPeer.TOPIC_SUBMISSION),
                    new Who("Apache Pekko", PatternPeer.TOPIC_PEKKO)),
            new Case("source, stage, consumer", new Who(OURS, PatternPeer.FLOW_FIBRY), SUBMISSION,
                    new Who("Reactor", PatternPeer.FLOW_REACTOR)),
            new Case("a stage that works on 2 values at a time", new Who(OURS, PatternPeer.FLOW_PARALLEL),
                    SUBMISSION),
            new Case("a router", new Who("by a key", PatternPeer.ROUTER_KEY),
                    new Who("by turns", PatternPeer.ROUTER_TURNS)),
            new Case("a state machine", new Who(OURS, PatternPeer.MACHINE), PLAIN),
            new Case("a state machine with time-outs", new Who(OURS, PatternPeer.MACHINE_TIMED), PLAIN));

    /** What takes turns; the others are compared with the first. */
    private record Case(String group, List<Who> all) {
        Case(String group, Who... all) {
            this(group, List.of(all));
        }
    }

    private record Who(String name, PatternPeer peer) {
    }

    /** What an operation has cost in one measurement. */
    private record Cost(double nanos, double bytes) {
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
        for (var each : CASES) {
            var costs = new LinkedHashMap<Who, List<Cost>>();
            var lines = each.all().stream().map(who -> Line.of(each.group(), who.name(), (own, samples) -> {
                for (int i = 0; i < settings.pick(5, 1, 1); i++) {
                    costs.computeIfAbsent(who, any -> new ArrayList<>())
                            .add(measure(who.peer(), messages, samples));
                }
            }).notQuick()).toList();
            var rows = new Turns(Unit.higher("M messages/s"), settings.pick(1, 0, 0), settings.timesEach())
                    .run(lines, settings, report);
            lines.stream().skip(1).forEach(other -> Turns.ratio(rows, lines.getFirst(), other, "", report));
            costs.forEach((who, all) -> report.note("%s, %s: %.0f ns of CPU and %.0f bytes a message"
                    .formatted(each.group(), who.name(), median(all, Cost::nanos),
                            median(all, Cost::bytes))));
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

    /** A short measurement may have used no CPU by a clock with coarse ticks. */
    private static double median(List<Cost> costs, ToDoubleFunction<Cost> which) {
        return costs.stream().mapToDouble(which).sorted().toArray()[costs.size() / 2];
    }
}
