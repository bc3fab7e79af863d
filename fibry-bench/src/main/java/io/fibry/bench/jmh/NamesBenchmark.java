package io.fibry.bench.jmh;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

/** Measures the cost of the name of the actor that runs: in the log's diagnostic context, and by a call. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NamesBenchmark {
    /** The number of messages of an invocation, or of calls. */
    public static final int TIMES = 1_000_000;

    @Param("" + TIMES)
    public int times;
    /** Whether the actor was given a name; otherwise its name is generated. */
    @Param({"true", "false"})
    public boolean named;
    /** Whether the scope puts the names of its actors into the diagnostic context. */
    @Param({"false", "true"})
    public boolean inMdc;

    private ActorScope scope = ActorSystem.open("unused");
    private Actor<Integer, Void> counter = scope.anonymous().newActor((Integer left) -> {
    });
    private Actor<Integer, Long> caller = scope.anonymous().newActorWithReturn((Integer calls) -> 0L);
    private CountDownLatch done = new CountDownLatch(1);
    private int handled;

    @Setup
    public void start() {
        scope.close();
        var builder = ActorSystem.configure("names");
        scope = (inMdc ? builder.nameActorsInMdc() : builder).open();
        counter = (named ? scope.named("counter") : scope.anonymous()).newActor((Integer left) -> {
            handled++;
            if (left == 0) {
                done.countDown();
            } else {
                counter.sendMessage(left - 1);
            }
        });
        caller = (named ? scope.named("caller") : scope.anonymous()).newActorWithReturn((Integer calls) -> {
            long length = 0;
            for (int i = 0; i < calls; i++) {
                length += ActorSystem.currentActor().orElseThrow().length();
            }
            return length;
        });
    }

    @TearDown
    public void stop() {
        scope.close();
    }

    /** An actor sends itself the next message in the handler of the one before. */
    @Benchmark
    @OperationsPerInvocation(TIMES)
    public void message() throws InterruptedException {
        handled = 0;
        done = new CountDownLatch(1);
        counter.sendMessage(times - 1);
        done.await();
        if (handled != times) {
            throw new AssertionError(handled + " messages were handled, not " + times);
        }
    }

    /** A handler asks again and again which actor runs it. */
    @Benchmark
    @OperationsPerInvocation(TIMES)
    public long currentActor() {
        var length = caller.apply(times);
        if (length < 6L * times) {
            throw new AssertionError("all names together have " + length + " characters");
        }
        return length;
    }
}
