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

/** Opens a pattern, sends messages through it until all are handled, and closes it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class PatternBenchmark {
    /** The number of messages of an invocation. */
    public static final int MESSAGES = 200_000;

    @Param("" + MESSAGES)
    public int messages;
    @Param
    public PatternPeer peer = PatternPeer.POOL_FIBRY;

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long use() throws Exception {
        var handled = peer.use(messages);
        var expected = (long) messages * peer.receivers();
        if (handled != expected) {
            throw new AssertionError(
                    "%s: %,d of %,d messages were handled".formatted(peer, handled, expected));
        }
        return handled;
    }
}
