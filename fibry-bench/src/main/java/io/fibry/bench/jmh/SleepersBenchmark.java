package io.fibry.bench.jmh;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Starts many tasks that sleep, and waits until all are awake: from the first one that is made to the last one that
 * wakes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class SleepersBenchmark {
    /** The kinds of sleepers. */
    public enum Sleeper {
        /** A handler in an actor of its own. */
        ACTOR,
        /** A virtual thread. */
        BARE,
        /** A task of a pool of {@value #POOL} threads, as many as {@code Dispatchers.IO} has. */
        POOL,
        /** A coroutine that is suspended: it does not block. */
        KOTLIN,
        /** A coroutine that blocks a thread of {@code Dispatchers.IO}. */
        KOTLIN_IO,
        /** A coroutine that blocks, on a dispatcher made of our strategy. */
        KOTLIN_FIBRY
    }

    /** The number of threads of the pools. */
    public static final int POOL = 64;

    @Param("100000")
    public int sleepers;
    @Param("100")
    public int millis;
    @Param
    public Sleeper who = Sleeper.ACTOR;

    private record Sleep(int millis, CountDownLatch awake) {
        void sleep() {
            try {
                Thread.sleep(millis);
                awake.countDown();
            } catch (InterruptedException nobodyDoesThat) {
                throw new IllegalStateException(nobodyDoesThat);
            }
        }
    }

    @Benchmark
    public void sleep() throws InterruptedException {
        var awake = new CountDownLatch(sleepers);
        switch (who) {
            case ACTOR -> actors(new Sleep(millis, awake));
            case BARE -> bare(new Sleep(millis, awake));
            case POOL -> pool(new Sleep(millis, awake));
            case KOTLIN -> CoroutinePeers.sleep(sleepers, millis, awake);
            case KOTLIN_IO -> CoroutinePeers.blockOnIo(sleepers, new Sleep(millis, awake)::sleep);
            case KOTLIN_FIBRY -> CoroutinePeers.blockOn(CreationStrategy.fibers(), sleepers,
                    new Sleep(millis, awake)::sleep);
        }
        if (!awake.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError(awake.getCount() + " of " + sleepers + " did not wake up");
        }
    }

    private void pool(Sleep sleep) {
        try (var pool = Executors.newFixedThreadPool(POOL)) {
            for (int i = 0; i < sleepers; i++) {
                pool.execute(sleep::sleep);
            }
        }
    }

    private void actors(Sleep sleep) {
        var builder = ActorSystem.anonymous().strategy(CreationStrategy.fibers());
        for (int i = 0; i < sleepers; i++) {
            builder.newActor(Sleep::sleep).sendMessage(sleep);
        }
    }

    private void bare(Sleep sleep) {
        for (int i = 0; i < sleepers; i++) {
            Thread.startVirtualThread(sleep::sleep);
        }
    }
}
