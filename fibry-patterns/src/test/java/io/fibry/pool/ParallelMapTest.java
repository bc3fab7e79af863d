package io.fibry.pool;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorContext;
import io.fibry.ActorInterruptedException;
import io.fibry.AskCycleException;
import io.fibry.Recipient;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ParallelMapTest {
    private final AtomicInteger taken = new AtomicInteger();

    /** Endless, and counts what was taken. */
    private Iterator<Integer> numbers() {
        return Stream.generate(taken::incrementAndGet).iterator();
    }

    @Promise("40.1")
    @EveryStrategy
    @SuppressWarnings("try") // it is closed before its end
    void takesNoMoreElementsThanItMayAndKeepsTheirOrder(Strategy strategy) throws Exception {
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        try (var scope = Scopes.on(strategy)) {
            var map = ParallelMap.with(scope, 3, (Integer number) -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                Thread.yield();
                running.decrementAndGet();
                return number * 2;
            });
            try (var results = map.over(numbers())) {
                assertThat(taken).hasValue(0);
                for (int n = 1; n <= 100; n++) {
                    assertThat(results.next()).isEqualTo(2 * n);
                    assertThat(taken.get()).isBetween(n, n + 3);
                }
                results.close();
                assertThat(results.hasNext()).isFalse();
                assertThatThrownBy(results::next).isInstanceOf(NoSuchElementException.class);
                assertThat(taken.get()).isLessThanOrEqualTo(103);
            }
            assertThat(most.get()).isLessThanOrEqualTo(3);
            assertThat(map.over(IntStream.range(0, 20).boxed()).toList())
                    .isEqualTo(IntStream.range(0, 20).map(n -> n * 2).boxed().toList());
            assertThat(map.over(Stream.<Integer>empty())).isEmpty();
        }
    }

    @Promise("40.1")
    @Test
    @SuppressWarnings("unchecked") // it is only asked
    void aRecipientMayGiveOneFutureForSeveralElements() {
        var seven = CompletableFuture.completedFuture(7);
        var constant = (Recipient<Integer, Integer>) Proxy.newProxyInstance(Recipient.class.getClassLoader(),
                new Class<?>[]{Recipient.class},
                (proxy, method, arguments) -> method.getName().equals("name") ? "constant" : seven);
        var map = ParallelMap.with(constant, 3);
        assertThat(map.over(Stream.of(1, 2, 3, 4))).containsExactly(7, 7, 7, 7);
        assertThat(map.unordered().over(Stream.of(1, 2, 3, 4))).containsExactly(7, 7, 7, 7);
    }

    @Promise("40.1")
    @EveryStrategy
    void manyThreadsMayUseOneMapAtATime(Strategy strategy) throws Exception {
        var go = new CountDownLatch(1);
        var numbers = IntStream.range(0, 20).boxed().toList();
        try (var scope = Scopes.on(strategy)) {
            var map = ParallelMap.with(scope, 2, (Integer number) -> {
                go.await();
                return number;
            });
            var results = new ArrayList<CompletableFuture<List<Integer>>>();
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 6; i++) {
                var result = new CompletableFuture<List<Integer>>();
                results.add(result);
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        result.complete(map.over(numbers.stream()).toList());
                    } catch (Throwable failed) {
                        result.completeExceptionally(failed);
                    }
                }));
            }
            threads.forEach(Waits::parked);
            go.countDown();
            for (var result : results) {
                assertThat(Waits.on(result)).isEqualTo(numbers);
            }
        } finally {
            go.countDown();
        }
    }

    @Promise("40.1")
    @EveryStrategy
    void unorderedResultsComeWhenTheyAreThere(Strategy strategy) throws Exception {
        var slow = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy)) {
            var map = ParallelMap.with(scope, 2, (Integer number) -> {
                if (number == 1) {
                    slow.await();
                }
                return number;
            }).unordered();
            try (var results = map.over(List.of(1, 2, 3, 4, 5).iterator())) {
                var first = new ArrayList<Integer>();
                for (int n = 0; n < 4; n++) {
                    first.add(results.next());
                }
                assertThat(first).containsExactlyInAnyOrder(2, 3, 4, 5);
                slow.countDown();
                assertThat(results.next()).isEqualTo(1);
                assertThat(results.hasNext()).isFalse();
            }
        }
    }

    @Promise("40.1")
    @EveryStrategy
    void theFirstFailureEndsTheResultsAndOutcomesGoOn(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var pool =
                    WorkerPool.<Integer, Integer>openWithReturn(scope, "failing", PoolOptions.fixed(2, 100),
                            number -> {
                                if (number % 3 == 0) {
                                    throw new IllegalStateException("number " + number);
                                }
                                return number;
                            });
            for (var map : List.of(ParallelMap.with(pool, 4), ParallelMap.with(pool, 4).unordered())) {
                taken.set(0);
                try (var results = map.over(numbers())) {
                    assertThatThrownBy(() -> {
                        while (results.hasNext()) {
                            assertThat(results.next() % 3).isNotZero();
                        }
                    }).isInstanceOf(CompletionException.class).cause().hasMessageStartingWith("number ");
                    assertThat(results.hasNext()).isFalse();
                }
                assertThat(taken.get()).isLessThan(20);
                var outcomes = map.outcomes(IntStream.rangeClosed(1, 30).boxed()).toList();
                assertThat(outcomes).hasSize(30);
                assertThat(outcomes.stream().filter(AskOutcome.Failed.class::isInstance)).hasSize(10);
            }
            soon().until(() -> pool.busy() == 0 && pool.waiting() == 0);
        }
    }

    @Promise("40.1")
    @EveryStrategy
    void anInterruptAndASourceThatThrowsCancelWhatIsAtWork(Strategy strategy) throws Exception {
        var mayEnd = new Semaphore(0);
        var begun = new Semaphore(0);
        try (var scope = Scopes.on(strategy)) {
            var pool =
                    WorkerPool.<Integer, Integer>openWithReturn(scope, "waiting", PoolOptions.fixed(1, 100),
                            number -> {
                                begun.release();
                                mayEnd.acquire();
                                return number;
                            });
            for (var map : List.of(ParallelMap.with(pool, 3), ParallelMap.with(pool, 3).unordered())) {
                var interrupted = new AtomicBoolean();
                var thrown = new CopyOnWriteArrayList<Throwable>();
                var consumer = Thread.ofPlatform().start(() -> {
                    try {
                        map.over(numbers()).next();
                    } catch (RuntimeException refused) {
                        thrown.add(refused);
                        interrupted.set(Thread.currentThread().isInterrupted());
                    }
                });
                begun.acquire();
                Waits.parked(consumer);
                consumer.interrupt();
                Waits.on(consumer);
                assertThat(thrown).hasOnlyElementsOfType(ActorInterruptedException.class);
                assertThat(interrupted).isTrue();
                mayEnd.release();
                soon().until(() -> pool.busy() == 0 && pool.waiting() == 0);
            }
            var broken = Stream.iterate(1, n -> n < 10, n -> {
                if (n == 2) {
                    throw new IllegalStateException("the source");
                }
                return n + 1;
            }).iterator();
            var results = ParallelMap.with(pool, 3).over(broken);
            assertThatThrownBy(results::next).hasMessage("the source");
            assertThat(results.hasNext()).isFalse();
            mayEnd.release();
            assertThatThrownBy(() -> new ParallelMap<>(pool, 0, true))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Promise("40.1")
    @EveryStrategy
    void aResultThatWasTakenIsNotLostWhenTheSourceThrows(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var pool =
                    WorkerPool.<Integer, Integer>openWithReturn(scope, "echo", PoolOptions.fixed(1, 100),
                            n -> n);
            for (var map : List.of(ParallelMap.with(pool, 2), ParallelMap.with(pool, 2).unordered())) {
                var source = IntStream.range(0, 4).map(n -> {
                    if (n == 3) {
                        throw new IllegalStateException("the source");
                    }
                    return n;
                }).iterator();
                var results = map.over(source);
                assertThat(results.next()).isZero();
                assertThat(results.next()).isEqualTo(1); // the source has thrown when one more was to be asked
                assertThatThrownBy(results::hasNext).hasMessage("the source");
                assertThat(results.hasNext()).isFalse();
            }
        }
    }

    @Promise("40.1")
    @EveryStrategy
    void aWaitForItselfIsRefused(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor =
                    scope.anonymous().newActorWithReturn((ActorContext<Integer, Integer> me, Integer n) -> {
                        try (var results = ParallelMap.with(me.self(), 2).over(List.of(1, 2).iterator())) {
                            return results.next();
                        }
                    });
            assertThat(Waits.failure(actor.sendMessageReturn(0))).isInstanceOf(AskCycleException.class);
        }
    }

    @Promise("40.1")
    @Test
    void aStreamThatIsClosedClosesItsSource() {
        var closed = new AtomicBoolean();
        try (var scope = Scopes.configure().open()) {
            try (var results = ParallelMap.with(scope, 2, (Integer n) -> n)
                    .over(Stream.generate(taken::incrementAndGet).onClose(() -> closed.set(true)))) {
                assertThat(results.limit(3).toList()).containsExactly(1, 2, 3);
            }
            assertThat(closed).isTrue();
            assertThat(taken.get()).isLessThanOrEqualTo(5);
        }
    }
}
