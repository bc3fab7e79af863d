
package io.fibry.pool;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorState;
import io.fibry.AskTimeoutException;
import io.fibry.Counters;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A pool whose code fails where it can fail: nothing is left behind, and the other messages are handled. */
class WorkerPoolFaultsTest {
    private static final Duration IDLE = Duration.ofSeconds(30);

    private final Recorder events = new Recorder();

    /** A key whose methods may fail. */
    private record Moody(int hash, Function<Object, Boolean> equality) {
        @Override
        public int hashCode() {
            if (hash < 0) {
                throw new IllegalStateException("no hash code");
            }
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return equality.apply(other);
        }
    }

    /** The workers that were made, in their order. */
    private final List<Actor<Integer, ?>> workers = new CopyOnWriteArrayList<>();

    private ActorBuilder watched(ActorBuilder builder) {
        return builder.onStart((ActorContext<Integer, ?> context) -> workers.add(context.self()));
    }

    private static final Function<Object, Boolean> NO_EQUALITY = other -> {
        throw new IllegalStateException("no equality");
    };

    @Promise({"39.8", "39.1"})
    @EveryStrategy
    void aKeyThatFailsIsRefusedBeforeAnythingIsSent(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "keyed",
                    PoolOptions.<Integer>fixed(1, 10).withKey(number -> {
                        if (number == -2) {
                            throw new AssertionError("no key");
                        }
                        return new Moody(number, other -> false);
                    }), number -> number);
            assertThatThrownBy(() -> pool.sendMessage(-1)).hasMessage("no hash code");
            assertThatThrownBy(() -> pool.sendMessageReturn(-1)).hasMessage("no hash code");
            assertThatThrownBy(() -> pool.sendTracked(-2)).isInstanceOf(AssertionError.class);
            assertThat(pool.waiting()).isZero();
            assertThat(pool.busy()).isZero();
            assertThat(pool.counters()).isEqualTo(new Counters(0, 0, 0, 0, 0, 0));
            assertThat(Waits.on(pool.sendMessageReturn(3))).isEqualTo(3);
        }
    }

    @Promise({"39.8", "39.1"})
    @EveryStrategy
    void keysThatCannotBeComparedAreDifferentOnes(Strategy strategy) throws Exception {
        var mayEnd = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "keyed",
                    PoolOptions.<Integer>fixed(2, 10).withKey(number -> new Moody(7, NO_EQUALITY)),
                    number -> {
                        if (number == 1) {
                            mayEnd.await();
                        }
                        return number;
                    });
            var first = pool.sendMessageReturn(1);
            assertThat(Waits.on(pool.sendMessageReturn(2))).isEqualTo(2);
            mayEnd.countDown();
            assertThat(Waits.on(first)).isEqualTo(1);
            soon().until(() -> pool.busy() == 0);
        }
    }

    @Promise({"39.7", "39.8"})
    @EveryStrategy
    void aMessageWhoseKeyOrWeightFailsLaterIsHandledAllTheSame(Strategy strategy) throws Exception {
        var fails = new AtomicBoolean();
        Function<Integer, Object> key = number -> {
            if (fails.getAndSet(true)) {
                throw new IllegalStateException("no second time");
            }
            return number;
        };
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "fickle",
                    PoolOptions.<Integer>fixed(1, 10).withKey(key), number -> number);
            assertThat(Waits.on(pool.sendMessageReturn(1))).isEqualTo(1);
            var weighed = new AtomicInteger();
            var heavy = WorkerPool.<Integer, Integer>openWithReturn(scope, "heavy",
                    PoolOptions.<Integer>fixed(1, 10).withWeight(3, number -> {
                        if (weighed.incrementAndGet() % 2 == 0) {
                            throw new IllegalStateException("no second time");
                        }
                        return number;
                    }), number -> number);
            for (int n = 0; n < 5; n++) {
                assertThat(Waits.on(heavy.sendMessageReturn(3))).isEqualTo(3);
            }
        }
    }

    @Promise({"39.1", "39.8"})
    @EveryStrategy
    void anErrorWhileAMessageIsHandedOverLosesNoWorker(Strategy strategy) throws Exception {
        var calls = new AtomicInteger();
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "erring",
                    PoolOptions.<Integer>fixed(1, 10).withKey(number -> {
                        if (calls.incrementAndGet() == 2) {
                            throw new AssertionError("at the hand-over");
                        }
                        return number;
                    }), number -> number);
            assertThat(pool.sendMessage(1)).isTrue();
            assertThat(events.only(Failed.class).cause()).hasMessage("at the hand-over");
            assertThat(events.only(Failed.class).part()).isEqualTo(Failed.Part.IDLE);
            assertThat(pool.busy()).isZero();
            assertThat(Waits.on(pool.sendMessageReturn(2))).isEqualTo(2);
            soon().until(() -> pool.counters().handled() == 2);
        }
    }

    @Promise("39.1")
    @EveryStrategy
    void aSenderWithLittleStackLeftLosesNoWorkerAndNoMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            for (int round = 0; round < 10; round++) { // where the stack ends is a matter of luck
                var options = PoolOptions.<Integer>fixed(1 + round % 2, 100_000);
                var sent = new AtomicInteger();
                var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "deep" + round,
                        round % 2 == 0 ? options : options.withKey(number -> number % 3), number -> number);
                Waits.on(pool.sendMessageReturn(0)); // and all is loaded
                var thread = new Thread(null, () -> deeper(pool, sent), "deep", 256 * 1024);
                thread.start();
                Waits.on(thread);
                assertThat(sent.get()).isPositive();
                soon().untilAsserted(() -> assertThat(pool.counters().handled()).isEqualTo(1 + sent.get()));
                soon().untilAsserted(() -> {
                    assertThat(pool.waiting()).isZero();
                    assertThat(pool.busy()).isZero();
                });
                pool.close();
            }
        }
    }

    private static void deeper(WorkerPool<Integer, Integer> pool, AtomicInteger sent) {
        try {
            if (pool.sendMessage(sent.get())) {
                sent.incrementAndGet();
            }
            deeper(pool, sent);
        } catch (StackOverflowError end) {
            return;
        }
    }

    @Promise({"39.1", "39.6"})
    @EveryStrategy
    void aWorkerThatStopsWithoutAMessageIsReplacedAndWhatWaitsIsHandled(Strategy strategy) throws Exception {
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var stops = new CountDownLatch(1);
        var mayStop = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "two",
                    PoolOptions.<Integer>fixed(2, 10)
                            .withActors(builder -> watched(builder).onExit(() -> {
                                stops.countDown();
                                mayStop.await();
                            })),
                    number -> {
                        if (number == 1) {
                            begun.countDown();
                            mayEnd.await();
                        }
                        return number;
                    });
            var first = pool.sendMessageReturn(1);
            Waits.on(begun);
            soon().until(() -> workers.size() == 2
                    && workers.stream().filter(actor -> actor.state() == ActorState.IDLE).count() == 1);
            var idle = workers.stream().filter(actor -> actor.state() == ActorState.IDLE).toList();
            idle.getFirst().askExit();
            Waits.on(stops); // before that it may still be given a message
            var second = pool.sendMessageReturn(2);
            assertThat(pool.waiting()).isEqualTo(1);
            mayStop.countDown();
            assertThat(Waits.on(second)).isEqualTo(2);
            assertThat(first).isNotDone();
            assertThat(pool.size()).isEqualTo(2);
            mayEnd.countDown();
            assertThat(Waits.on(first)).isEqualTo(1);
        }
    }

    @Promise({"39.1", "39.6"})
    @EveryStrategy
    void aPoolThatHasLostItsWorkersMakesOneHoweverFewMessagesWait(Strategy strategy) throws Exception {
        var fails = new AtomicBoolean(true);
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "lost",
                    PoolOptions.<Integer>scaling(2, 4, IDLE, 10).withGrowth(5)
                            .withActors(builder -> builder.onFailure(FailurePolicy.stop()).onStart(() -> {
                                if (fails.get()) {
                                    throw new IllegalStateException("on purpose");
                                }
                            })),
                    number -> number);
            soon().until(() -> pool.size() == 0);
            fails.set(false);
            assertThat(Waits.on(pool.sendMessageReturn(1))).isEqualTo(1);
            soon().until(() -> pool.size() >= 1);
            assertThat(pool.size()).isLessThanOrEqualTo(2);
        }
    }

    @Promise({"39.4", "39.6"})
    @EveryStrategy
    void hooksThatThrowCostNoWorkerAndNoMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, events)) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "hooked",
                    PoolOptions.<Integer>scaling(1, 3, Duration.ofNanos(100_000), 100)
                            .withActors(builder -> builder.onFailure(FailurePolicy.stop()).onExit(() -> {
                                throw new IllegalStateException("a hook");
                            })),
                    number -> {
                        if (number % 2 == 0) {
                            throw new IllegalArgumentException("even");
                        }
                        return number;
                    });
            var answers = new ArrayList<CompletableFuture<Integer>>();
            for (int n = 0; n < 40; n++) {
                answers.add(pool.sendMessageReturn(n));
            }
            for (int n = 0; n < 40; n++) {
                if (n % 2 == 0) {
                    assertThat(Waits.failure(answers.get(n))).hasMessage("even");
                } else {
                    assertThat(Waits.on(answers.get(n))).isEqualTo(n);
                }
            }
            soon().until(() -> pool.size() == 1 && pool.busy() == 0);
            assertThat(events.of(Failed.class).stream().filter(each -> each.part() == Failed.Part.EXIT_HOOK))
                    .hasSizeGreaterThanOrEqualTo(20);
        }
    }

    @Promise("39.6")
    @Test
    void theSizeIsNeverLessThanTheLeastForLongNorMoreThanTheMost() throws Exception {
        try (var scope = Scopes.configure().listener(events).open()) {
            var pool = WorkerPool.<Integer, Integer>openWithReturn(scope, "sized",
                    PoolOptions.<Integer>scaling(2, 3, Duration.ofNanos(100_000), 1_000)
                            .withActors(builder -> watched(builder).onFailure(FailurePolicy.stop())),
                    number -> {
                        if (number % 3 == 0) {
                            throw new IllegalArgumentException("stops");
                        }
                        return number;
                    });
            for (int n = 0; n < 300; n++) {
                pool.sendMessage(n);
                assertThat(pool.size()).isBetween(0, 3);
            }
            soon().until(() -> pool.counters().total() == 300);
            soon().untilAsserted(() -> assertThat(pool.size()).as(pool::toString).isEqualTo(2));
            for (int n = 0; n < 2; n++) {
                // A worker that has handled its message is idle a moment later.
                soon().until(
                        () -> workers.stream().filter(actor -> actor.state() == ActorState.IDLE).findFirst(),
                        Optional::isPresent).orElseThrow().close();
                soon().untilAsserted(() -> assertThat(pool.size()).as(pool::toString).isEqualTo(2));
            }
            assertThat(Waits.on(pool.sendMessageReturn(1))).isEqualTo(1);
        }
    }

    @Test
    void aTimeOutOfAWorkerThatAsksItsOwnPoolNamesTheCauseAndTheRemedy() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            var own = new CompletableFuture<WorkerPool<Integer, Integer>>();
            // It may grow, so this is no cycle; but one message that waits is not enough for that.
            var options = PoolOptions.<Integer>scaling(1, 2, Duration.ofMinutes(1), 10).withGrowth(5);
            var pool = WorkerPool.openWithReturn(scope, "own", options,
                    n -> n == 0 ? 0 : own.join().ask(n - 1, Duration.ofMillis(20)).get());
            own.complete(pool);
            assertThat(Waits.failure(pool.sendMessageReturn(1))).rootCause()
                    .isInstanceOf(AskTimeoutException.class)
                    .hasMessageContainingAll(
                            "actor 'own' gave no answer to a message of java.lang.Integer within 20 ms",
                            " behind 0, and none of the actors that share the mailbox has taken it",
                            "let a worker send to its own pool and not wait, or give such messages a pool of their own");
        }
    }
}
