package io.fibry.bench;

import io.fibry.bench.jmh.PatternBenchmark;
import io.fibry.bench.jmh.PatternPeer;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.List;

/** Measures pools, topics, flows, generators and batches. */
final class Patterns implements Experiment {
    private static final String POOL = "a pool of 2";
    private static final String TOPIC = "a topic with 4 subscribers";
    private static final String FLOW = "source, stage, consumer";
    private static final String GENERATOR = "a generator";
    private static final String BATCH = "batches of 100";

    @Override
    public String name() {
        return "patterns";
    }

    @Override
    public String what() {
        return "messages through a pool, a topic, a flow, a generator and batches, until all are handled";
    }

    @Override
    public String checks() {
        return "each message is handled once, in a topic once by each subscriber";
    }

    /** A quick run has the pools alone. */
    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(3);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        JmhRun.turns(settings, Unit.higher("M messages/s")).run(List.of(
                of(POOL, Peers.FIBERS, PatternPeer.POOL_FIBRY),
                of(POOL, "ThreadPoolExecutor", PatternPeer.POOL_EXECUTOR),
                of(POOL, "Apache Pekko, RoundRobinPool", PatternPeer.POOL_PEKKO),
                of(TOPIC, Peers.FIBERS, PatternPeer.TOPIC_FIBRY),
                of(TOPIC, "SubmissionPublisher", PatternPeer.TOPIC_SUBMISSION),
                of(TOPIC, "Apache Pekko, EventStream", PatternPeer.TOPIC_PEKKO),
                of(FLOW, Peers.FIBERS, PatternPeer.FLOW_FIBRY),
                of(FLOW, "SubmissionPublisher", PatternPeer.FLOW_SUBMISSION),
                of(FLOW, "Reactor, publishOn", PatternPeer.FLOW_REACTOR),
                of(GENERATOR, Peers.FIBERS, PatternPeer.GENERATOR_FIBRY),
                of(GENERATOR, "virtual thread + ArrayBlockingQueue", PatternPeer.GENERATOR_VIRTUAL),
                of(GENERATOR, "virtual thread + jox channel", PatternPeer.GENERATOR_JOX),
                of(GENERATOR, "Kotlin, flow", PatternPeer.GENERATOR_KOTLIN),
                of(BATCH, Peers.FIBERS, PatternPeer.BATCH_FIBRY),
                of(BATCH, "virtual thread + LinkedBlockingQueue", PatternPeer.BATCH_VIRTUAL)), settings,
                report);
    }

    private static Line of(String group, String peer, PatternPeer who) {
        var line = Line.of(group, peer, JmhRun.of(PatternBenchmark.class, "use").with("peer", who)
                .operations("messages", 50_000).inMillions());
        return group.equals(POOL) ? line : line.notQuick();
    }
}
