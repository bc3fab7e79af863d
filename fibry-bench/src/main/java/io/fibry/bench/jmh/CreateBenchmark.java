package io.fibry.bench.jmh;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Makes idle actors and keeps them, as the first line of article 002 does. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class CreateBenchmark {
    /** The number of actors that are made at a time. */
    public static final int ACTORS = 100_000;
    private static final int ASKED = 10;

    @Param("" + ACTORS)
    public int actors;

    private Object[] kept = new Object[0];

    @Benchmark
    @OperationsPerInvocation(ACTORS)
    public Object sinks() {
        kept = new Object[actors];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = Stereotypes.fibers().sink(null);
        }
        return kept;
    }

    @Benchmark
    @OperationsPerInvocation(ACTORS)
    public Object handlers() {
        kept = new Object[actors];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = ActorSystem.anonymous().strategy(CreationStrategy.fibers())
                    .newActor((AtomicLong message) -> message.incrementAndGet());
        }
        return kept;
    }

    @Benchmark
    @OperationsPerInvocation(ACTORS)
    public Object virtualThreads() {
        kept = new Object[actors];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = Poisoned.start(Thread.ofVirtual(), new LinkedTransferQueue<>(), message -> {
            });
        }
        return kept;
    }

    @Benchmark
    @OperationsPerInvocation(ACTORS)
    public Object pekko() {
        return kept = PekkoCreate.make(actors);
    }

    @Benchmark
    @OperationsPerInvocation(ACTORS)
    public Object coroutines() {
        return kept = CoroutinePeers.make(actors);
    }

    /** Checks that all actors are there, and that some of them, spread over all, handle a message. */
    @TearDown(Level.Invocation)
    public void check() throws InterruptedException {
        if (Arrays.stream(kept).anyMatch(Objects::isNull)) {
            throw new AssertionError("not all of " + kept.length + " were made");
        }
        for (int i = 0; i < kept.length; i += Math.max(1, kept.length / ASKED)) {
            if (kept[i] instanceof Actor<?, ?> actor) {
                handlesOne(actor);
            } else if (kept[i] instanceof PekkoCreate.Made made) {
                made.check();
            } else if (kept[i] instanceof CoroutinePeers.Made made) {
                made.check();
            }
        }
        stop();
    }

    @SuppressWarnings("unchecked") // sinks take everything, handlers take this
    private static void handlesOne(Actor<?, ?> actor) {
        ((Actor<AtomicLong, ?>) actor).sendMessage(new AtomicLong());
        actor.close();
        if (actor.counters().handled() != 1) {
            throw new AssertionError(
                    "an actor has handled " + actor.counters().handled() + " messages, not 1");
        }
    }

    /**
     * Stops what has to be stopped. Actors to which nothing refers are garbage; threads written by hand have to be
     * stopped.
     */
    private void stop() {
        for (var each : kept) {
            if (each instanceof Poisoned byHand) {
                byHand.poison();
            }
        }
        for (var each : kept) {
            if (each instanceof Poisoned byHand) {
                Poisoned.join(byHand.thread());
            }
        }
        PekkoCreate.stop(kept);
        CoroutinePeers.stop(kept);
        kept = new Object[0];
    }
}
