package io.fibry.pool;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class MapReduceTest {
    private final Recorder events = new Recorder();

    @Promise({"40.4", "40.6"})
    @EveryStrategy
    void eachItemIsMappedOnceAndReducedOnce(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var reducing = new AtomicInteger();
            for (var bounded : List.of(true, false)) {
                var options = PoolOptions.<Integer>fixed(3, 8).withOverflow(OverflowPolicy.block());
                try (MapReduce<Integer, Integer> sum = bounded
                        ? MapReduce.open(scope, "sum", options, (Integer n) -> 2 * n, () -> 0,
                                (Integer a, Integer n) -> {
                                    assertThat(reducing.getAndIncrement()).isZero();
                                    reducing.decrementAndGet();
                                    return a + n;
                                })
                        : MapReduce.unbounded(scope, "sum", (Integer n) -> 2 * n, () -> 0, Integer::sum)) {
                    Senders.run(3, sender -> {
                        for (int n = 1; n <= 100; n++) {
                            assertThat(sum.submit(n)).isTrue();
                        }
                    });
                    assertThat(Waits.on(sum.result())).isEqualTo(3 * 2 * 5050);
                    assertThat(sum.submit(1)).isFalse();
                    assertThat(Waits.on(sum.result())).isEqualTo(3 * 2 * 5050);
                }
            }
            try (var none =
                    MapReduce.<Integer, Integer, String>open(scope, "none", PoolOptions.fixed(1, 1), n -> n,
                            () -> "nothing", (text, n) -> text + n)) {
                assertThat(Waits.on(none.result())).isEqualTo("nothing");
            }
        }
    }

    @Promise({"40.4", "40.6"})
    @EveryStrategy
    void anItemForWhichThereIsNoRoomIsNotInTheResult(Strategy strategy) throws Exception {
        var begun = new AtomicInteger();
        var mayEnd = new Semaphore(0);
        try (var scope = Scopes.on(strategy, events)) {
            try (var sum =
                    MapReduce.<Integer, Integer, Integer>open(scope, "small", PoolOptions.fixed(1, 2), n -> {
                        begun.incrementAndGet();
                        mayEnd.acquire();
                        return n;
                    }, () -> 0, Integer::sum)) {
                assertThat(sum.submit(1)).isTrue();
                soon().until(() -> begun.get() == 1);
                assertThat(sum.submit(10)).isTrue();
                assertThat(sum.submit(100)).isTrue();
                assertThat(sum.submit(1_000)).isFalse();
                mayEnd.release(3);
                assertThat(Waits.on(sum.result())).isEqualTo(111);
            }
        }
    }

    @Promise("40.5")
    @EveryStrategy
    void whatFailsOrIsLostMakesTheResultFail(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            try (var failing =
                    MapReduce.<Integer, Integer, Integer>open(scope, "failing", PoolOptions.fixed(2, 100),
                            n -> {
                                if (n == 3) {
                                    throw new IllegalStateException("no three");
                                }
                                return n;
                            }, () -> 0, Integer::sum)) {
                IntStream.range(0, 10).forEach(failing::submit);
                assertThat(Waits.failure(failing.result())).hasMessage("no three");
                soon().until(() -> !failing.submit(11));
            }
            try (var failing =
                    MapReduce.<Integer, Integer, Integer>open(scope, "reducer", PoolOptions.fixed(2, 100),
                            n -> n, () -> 0, (sum, n) -> {
                                throw new IllegalStateException("no sum");
                            })) {
                failing.submit(1);
                assertThat(Waits.failure(failing.result())).hasMessage("no sum");
            }
            var begun = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var dropping = MapReduce.<Integer, Integer, Integer>open(scope, "dropping",
                    PoolOptions.<Integer>fixed(1, 1).withOverflow(OverflowPolicy.dropOldest()), n -> {
                        begun.countDown();
                        interrupted.await();
                        return n;
                    }, () -> 0, Integer::sum);
            dropping.submit(1);
            Waits.on(begun);
            dropping.submit(2);
            dropping.submit(3);
            assertThat(Waits.failure(dropping.result())).isInstanceOf(ActorException.class);
            interrupted.countDown();
            dropping.close();
        }
    }

    @Promise("40.5")
    @EveryStrategy
    void aResultThatIsNotThereAtTheEndFails(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var sum = MapReduce.<Integer, Integer, Integer>open(scope, "closed", PoolOptions.fixed(1, 10),
                    n -> n,
                    () -> 0, Integer::sum);
            sum.submit(1);
            sum.close();
            assertThat(Waits.failure(sum.result())).isInstanceOf(ActorStoppedException.class)
                    .hasMessageContaining("'closed'");
        }
    }

    @Promise("40.4")
    @EveryStrategy
    void overAPoolThatIsThereAlready(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, String>openWithReturn(scope, "there", PoolOptions.fixed(2, 10),
                    n -> {
                        if (n > 9) {
                            throw new IllegalStateException("too many");
                        }
                        return "" + n;
                    });
            assertThat(MapReduce.mapReduce(pool, 4, List.of(1, 2, 3, 4), "", String::concat))
                    .isEqualTo("1234");
            assertThatThrownBy(() -> MapReduce.mapReduce(pool, 4, List.of(1, 10), "", String::concat))
                    .isInstanceOf(CompletionException.class).hasRootCauseMessage("too many");
        }
    }

    @Promise({"40.4", "40.5"})
    @EveryStrategy
    void anItemThatIsRefusedByAnExceptionIsNotInTheResult(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            try (var sum = MapReduce.<Integer, Integer, Integer>open(scope, "weighed",
                    PoolOptions.<Integer>fixed(1, 10).withWeight(3, n -> n), n -> n, () -> 0, Integer::sum)) {
                assertThat(sum.submit(2)).isTrue();
                assertThatThrownBy(() -> sum.submit(4)).isInstanceOf(IllegalArgumentException.class);
                assertThat(sum.submit(3)).isTrue();
                assertThat(Waits.on(sum.result())).isEqualTo(5);
            }
        }
    }
}
