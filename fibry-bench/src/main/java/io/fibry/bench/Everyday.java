package io.fibry.bench;

import io.fibry.bench.jmh.PatternPeer;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;

/** Measures what programs write every day in turns with its peers, and what an operation costs beside its speed. */
final class Everyday implements Experiment {
    private static final String OURS = "Fibry";
    private static final Who SUBMISSION = new Who("SubmissionPublisher", PatternPeer.FLOW_SUBMISSION);
    private static final Who PLAIN = new Who("a plain actor", PatternPeer.PLAIN_ACTOR);
    private static final List<Case> CASES = List.of(
            new Case("a pool of 2", new Who(OURS, PatternPeer.POOL_FIBRY),
                    new Who("ThreadPoolExecutor", PatternPeer.POOL_EXECUTOR, ">= 1"),
                    new Who("Apache Pekko", PatternPeer.POOL_PEKKO, ">= 1")),
            new Case("a topic with 4 subscribers", new Who(OURS, PatternPeer.TOPIC_FIBRY),
                    new Who("SubmissionPublisher", PatternPeer.TOPIC_SUBMISSION, ">= 0.8"),
                    new Who("Apache Pekko", PatternPeer.TOPIC_PEKKO)),
            new Case("source, stage, consumer", new Who(OURS, PatternPeer.FLOW_FIBRY), SUBMISSION.in(">= 1"),
                    new Who("Reactor", PatternPeer.FLOW_REACTOR)),
            new Case("a stage that works on 2 values at a time", new Who(OURS, PatternPeer.FLOW_PARALLEL),
                    SUBMISSION.in(">= 0.5")),
            new Case("a router", new Who("by a key", PatternPeer.ROUTER_KEY),
                    new Who("by turns", PatternPeer.ROUTER_TURNS, ">= 0.5")),
            new Case("a state machine", new Who(OURS, PatternPeer.MACHINE), PLAIN.in(">= 0.67")),
            new Case("a state machine with time-outs", new Who(OURS, PatternPeer.MACHINE_TIMED),
                    PLAIN.in(">= 0.4")));

    /** What takes turns; the others are compared with the first. */
    private record Case(String group, List<Who> all) {
        Case(String group, Who... all) {
            this(group, List.of(all));
        }
    }

    /** A peer, and what the ratio of ours to it must be; empty if there is no budget. */
    private record Who(String name, PatternPeer peer, String mustBe) {
        Who(String name, PatternPeer peer) {
            this(name, peer, "");
        }

        Who in(String ratio) {
            return new Who(name, peer, ratio);
        }
    }

    @Override
    public String name() {
        return "everyday";
    }

    @Override
    public String what() {
        return "pools, topics, flows, routers, machines beside peers, with CPU and bytes; what timed-out asks leave";
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
            for (int i = 1; i < lines.size(); i++) {
                Turns.ratio(rows, lines.getFirst(), lines.get(i), each.all().get(i).mustBe(), report);
            }
            costs.forEach((who, all) -> Cost.note(each.group() + ", " + who.name(), all, "message", report));
        }
        var late = Stream.of(TimedOutAsks.values()).map(kind -> Line.of("timed-out asks of one that is busy",
                kind.peer, (own, samples) -> samples.add(kind.bytes(messages, report))).mustBe(kind.mustBe)
                .notQuick()).toList();
        new Turns(Unit.lower("bytes of heap each"), 0, settings.timesEach()).run(late, settings, report);
    }

    private static Cost measure(PatternPeer peer, int messages, Samples samples) throws Exception {
        var before = Cost.untilNow();
        var start = System.nanoTime();
        var handled = peer.use(messages);
        samples.add(messages * 1e3 / (System.nanoTime() - start));
        if (handled != (long) messages * peer.receivers()) {
            throw new AssertionError("%s: %,d messages were handled".formatted(peer, handled));
        }
        return before.forEachOf(messages);
    }
}
