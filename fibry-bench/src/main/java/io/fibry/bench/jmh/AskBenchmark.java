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

/** Asks and waits for the answer, again and again: the snippet of article 002. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AskBenchmark {
    /** The number of asks. */
    public static final int ASKS = 250_000;

    @Param("" + ASKS)
    public int asks;
    @Param
    public Asker asker = Asker.FIBERS;

    @Benchmark
    @OperationsPerInvocation(ASKS)
    public int ask() throws Exception {
        int sum = asker.ask(asks);
        int expected = 0;
        for (int i = 0; i < asks; i++) {
            expected += i * i;
        }
        if (sum != expected) {
            throw new AssertionError("the sum of the answers is " + sum + ", not " + expected);
        }
        return sum;
    }
}
