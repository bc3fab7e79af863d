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

/** Sends to a bounded mailbox as fast as possible, until all messages are handled or lost. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class BoundedBenchmark {
    /** The number of messages that are sent. */
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
