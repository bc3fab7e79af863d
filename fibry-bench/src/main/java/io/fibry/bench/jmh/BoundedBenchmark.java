package io.fibry.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One sends as fast as it can to one whose mailbox has an end; until all are handled or lost. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class BoundedBenchmark {
    /** How many are sent. */
    public static final int MESSAGES = 1_000_000;

    @Param("" + MESSAGES)
    public int messages;
    @Param
    public BoundedPeer peer = BoundedPeer.FIBRY_BLOCK;

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public Object send() throws InterruptedException {
        var outcome = peer.send(messages);
        if (outcome.handled() + outcome.lost() != messages || outcome.handled() == 0
                || outcome.lost() > 0 && !peer.mayLose()) {
            throw new AssertionError("of " + messages + " messages: " + outcome);
        }
        return outcome;
    }
}
