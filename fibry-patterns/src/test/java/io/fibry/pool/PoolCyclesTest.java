package io.fibry.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.AskCycleException;
import io.fibry.OverflowPolicy;
import io.fibry.event.Undelivered;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Cycles of waits through a pool, whose messages any of its workers can handle. */
@Promise("39.13")
class PoolCyclesTest {
    private final AtomicReference<WorkerPool<Integer, Integer>> pool = new AtomicReference<>();

    private int ask(int message) throws InterruptedException, ExecutionException {
        return pool.get().sendMessageReturn(message).get();
    }

    private static Throwable rootOf(Throwable failure) {
        var root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    @EveryStrategy
    void theOnlyWorkerCannotWaitForItsPool(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            pool.set(WorkerPool.openWithReturn(scope, "own", PoolOptions.<Integer>fixed(1, 10),
                    n -> n == 0 ? 7 : ask(n - 1)));
            assertThat(rootOf(Waits.failure(pool.get().sendMessageReturn(1))))
                    .isInstanceOf(AskCycleException.class)
                    .hasMessageContainingAll("actor 'own-1' would wait for itself: 'own-1' -> 'own'",
                            "sendMessage instead of waiting", "a pool of their own");
            assertThat(Waits.on(pool.get().sendMessageReturn(0))).isEqualTo(7);
        }
    }

    @EveryStrategy
    void aWorkerIsRefusedOnlyIfAllOthersWaitForIt(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // workers that run on one thread cannot wait for each other
        }
        try (var scope = Scopes.on(strategy)) {
            pool.set(WorkerPool.openWithReturn(scope, "own", PoolOptions.<Integer>fixed(3, 10),
                    n -> n == 0 ? 7 : 1 + ask(n - 1)));
            assertThat(Waits.on(pool.get().sendMessageReturn(2))).as("three workers").isEqualTo(9);
            assertThat(rootOf(Waits.failure(pool.get().sendMessageReturn(3))))
                    .isInstanceOf(AskCycleException.class).hasMessageContaining("' -> 'own'");
            var together = new ArrayList<CompletableFuture<Integer>>();
            for (int i = 0; i < 9; i++) {
                together.add(pool.get().sendMessageReturn(1));
            }
            for (var each : together) { // each is answered or refused, and none waits for ever
                each.exceptionally(failure -> {
                    assertThat(rootOf(failure)).isInstanceOf(AskCycleException.class);
                    return 8;
                }).get();
            }
            assertThat(Waits.on(pool.get().sendMessageReturn(2))).as("afterwards").isEqualTo(9);
        }
    }

    @EveryStrategy
    void anActorBetweenThePoolAndItselfIsAPartOfTheCycle(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Integer> between =
                    scope.named("between").newActorWithReturn((Integer n) -> ask(n));
            pool.set(WorkerPool.openWithReturn(scope, "own", PoolOptions.<Integer>fixed(1, 10),
                    n -> n == 0 ? 7 : between.sendMessageReturn(n - 1).get()));
            assertThat(rootOf(Waits.failure(pool.get().sendMessageReturn(1))))
                    .isInstanceOf(AskCycleException.class)
                    .hasMessageContainingAll("would wait for itself: ", "'between' -> 'own'",
                            "'own-1' -> 'between'",
                            "all workers of 'own' wait");
            assertThat(Waits.on(between.sendMessageReturn(0))).isEqualTo(7);
        }
    }

    @EveryStrategy
    void twoPoolsThatWaitForEachOther(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // workers that run on one thread cannot wait for each other
        }
        try (var scope = Scopes.on(strategy)) {
            var other = new AtomicReference<WorkerPool<Integer, Integer>>();
            pool.set(WorkerPool.openWithReturn(scope, "one", PoolOptions.<Integer>fixed(2, 100),
                    n -> n == 0 ? 7 : other.get().sendMessageReturn(n - 1).get()));
            other.set(WorkerPool.openWithReturn(scope, "two", PoolOptions.<Integer>fixed(2, 100),
                    n -> n == 0 ? 7 : ask(n - 1)));
            assertThat(Waits.on(pool.get().sendMessageReturn(3))).as("two workers each").isEqualTo(7);
            assertThat(rootOf(Waits.failure(pool.get().sendMessageReturn(4))))
                    .isInstanceOf(AskCycleException.class);
            var all = new ArrayList<CompletableFuture<Integer>>();
            for (int i = 0; i < 20; i++) {
                all.add((i % 2 == 0 ? pool : other).get().sendMessageReturn(2));
            }
            for (var each : all) {
                each.exceptionally(failure -> 7).get(); // none hangs
            }
        }
    }

    @Test
    void aPoolThatMayGrowRefusesNoWorker() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            pool.set(WorkerPool.openWithReturn(scope, "own",
                    PoolOptions.<Integer>scaling(1, 3, Duration.ofMinutes(1), 10).withGrowth(1),
                    n -> n == 0 ? 7 : 1 + ask(n - 1)));
            assertThat(Waits.on(pool.get().sendMessageReturn(2))).isEqualTo(9);
            assertThat(rootOf(Waits.failure(pool.get().sendMessageReturn(3))))
                    .as("it has as many workers as may be").isInstanceOf(AskCycleException.class);
        }
    }

    @Test
    void aWorkerThatWaitsForSomethingElseWillServe() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var slow = scope.named("slow").newActorWithReturn((Integer n) -> {
                begun.countDown();
                go.await();
                return n;
            });
            pool.set(WorkerPool.openWithReturn(scope, "own", PoolOptions.<Integer>fixed(2, 10),
                    n -> n == 0 ? 7 : n == 9 ? slow.sendMessageReturn(9).get() : ask(n - 1)));
            var first = pool.get().sendMessageReturn(9);
            Waits.on(begun);
            var second = pool.get().sendMessageReturn(1);
            Waits.until("the second worker waits", () -> pool.get().waiting() == 1);
            go.countDown();
            assertThat(Waits.on(first)).isEqualTo(9);
            assertThat(Waits.on(second)).isEqualTo(7);
        }
    }

    @Test
    void aSenderThatWouldWaitForRoomForEverIsRefused() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            pool.set(WorkerPool.openWithReturn(scope, "own",
                    PoolOptions.<Integer>fixed(1, 1).withOverflow(OverflowPolicy.block()), n -> {
                        if (n == 1) {
                            pool.get().sendMessage(0);
                            return pool.get().sendMessage(0) ? 1 : 0;
                        }
                        return 7;
                    }));
            assertThat(Waits.on(pool.get().sendMessageReturn(1))).as("the second message is refused")
                    .isZero();
            assertThat(recorder.await(Undelivered.class).cause()).isEqualTo(Undelivered.Cause.BLOCK_CYCLE);
        }
    }

    @Test
    void keysAndWeightsChangeNothing() throws Exception {
        for (var options : List.of(PoolOptions.<Integer>fixed(2, 10).withKey(n -> n % 2),
                PoolOptions.<Integer>fixed(2, 10).withWeight(2, n -> 1))) {
            try (var scope = Scopes.on(Strategy.FIBERS)) {
                pool.set(WorkerPool.openWithReturn(scope, "own", options, n -> n == 0 ? 7 : ask(n - 1)));
                assertThat(Waits.on(pool.get().sendMessageReturn(1))).isEqualTo(7);
                assertThat(rootOf(Waits.failure(pool.get().sendMessageReturn(2))))
                        .isInstanceOf(AskCycleException.class);
            }
        }
    }
}
