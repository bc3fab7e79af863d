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

/**
 * Code that takes messages itself, in the order in which they came or by their type, while a platform thread sends. The
 * time is from the first message that is sent to the last one that is taken.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReceiveBenchmark {
    /** The number of messages that are wanted. */
    public static final int MESSAGES = 100_000;

    @Param("" + MESSAGES)
    public int messages;
    @Param
    public ReceivingPeer peer = ReceivingPeer.FIBRY;
    /** Whether the receiver selects the messages that it wants. */
    @Param({"false", "true"})
    public boolean selective;
    /** The number of messages before all others that the receiver does not want. */
    @Param({"0", "100"})
    public int others;

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long receive() throws InterruptedException {
        var sum = peer.receive(messages, selective, others);
        var expected = (long) messages * (messages - 1) / 2;
        if (sum != expected) {
            throw new AssertionError("the sum of what was received is " + sum + ", not " + expected);
        }
        return sum;
    }
}
