package io.fibry.bench.jmh;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Asks, passes a message round a ring, and sends as fast as it can, in a scope that is measured in some way. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MeasuresBenchmark {
    /** The number of messages of an invocation. */
    public static final int MESSAGES = 400_000;

    @Param("" + MESSAGES)
    public int messages;
    @Param
    public MeasuredWork work = MeasuredWork.ASK;
    @Param
    public MeasuredBy by = MeasuredBy.NOTHING;

    private Optional<Recording> recording = Optional.empty();

    @Setup
    public void begin() {
        recording = by.record();
    }

    @TearDown
    public void end() {
        by.check();
        recording.ifPresent(Recording::close);
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long run() throws Exception {
        try (var scope = by.open()) {
            var handled = work.run(scope, messages);
            if (handled != messages) {
                throw new AssertionError(
                        "%s, %s: %,d of %,d messages were handled".formatted(work, by, handled,
                                messages));
            }
            return handled;
        }
    }
}
