package io.fibry.work;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rate around anything. */
class RateLimiterTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final List<WorkEvent> events = new CopyOnWriteArrayList<>();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private RateLimiter limiter(ActorScope scope, int burst, int waiting) {
        return RateLimiter.open(scope, "limiter",
                RateLimiterOptions.of(2, SECOND, waiting).withBurst(burst)
                        .withListener(events::add));
    }

    private Call<String> call(String text) {
        return () -> {
            log.add(text);
            return CompletableFuture.completedFuture(text);
        };
    }

    @Promise("46.3")
    @EveryStrategy
    void callsAreEvenlySpreadAndKeepTheirOrder(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var limiter = limiter(scope, 1, 10);
            var results = new ArrayList<CompletableFuture<String>>();
            for (var text : List.of("a", "b", "c", "d")) {
                results.add(limiter.start(call(text)));
            }
            assertThat(log).containsExactly("a");
            assertThat(limiter.waiting()).isEqualTo(3);
            time.advance(SECOND.dividedBy(2).minusNanos(1));
            assertThat(log).hasSize(1);
            time.advance(Duration.ofNanos(1));
            assertThat(log).containsExactly("a", "b");
            time.advance(SECOND);
            assertThat(log).containsExactly("a", "b", "c", "d");
            assertThat(Waits.on(results.getLast())).isEqualTo("d");
            assertThat(limiter.waiting()).isZero();
            assertThat(events).containsExactly(new WorkEvent.CallDelayed("limiter", 1),
                    new WorkEvent.CallDelayed("limiter", 2), new WorkEvent.CallDelayed("limiter", 3));
            assertThat(time.pending()).isZero();
        }
    }

    /** As the rate says: in any interval no more than it allows, and the burst. */
    @Promise("46.3")
    @EveryStrategy
    void inNoIntervalMoreThanTheRateAllows(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var limiter = limiter(scope, 3, 0);
            var times = new ArrayList<Long>();
            for (int i = 0; i < 200; i++) {
                if (limiter.tryTurn()) {
                    times.add(time.nanoTime());
                }
                time.advance(Duration.ofMillis((i * 37) % 101));
            }
            assertThat(times).hasSizeGreaterThan(15);
            for (int from = 0; from < times.size(); from++) {
                for (int to = from; to < times.size(); to++) {
                    var allowed = 3 + (times.get(to) - times.get(from)) / SECOND.dividedBy(2).toNanos();
                    assertThat(to - from + 1L).isLessThanOrEqualTo(allowed);
                }
            }
        }
    }

    @Promise("46.3")
    @EveryStrategy
    void moreThanMayWaitAreRefused(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var limiter = limiter(scope, 1, 2);
            limiter.start(call("a"));
            var second = limiter.start(call("b"));
            limiter.start(call("c"));
            assertThat(Waits.failure(limiter.start(call("d")))).isInstanceOf(TooManyWaitingException.class)
                    .hasMessageContainingAll("limiter 'limiter'", "as many wait as may, 2");
            assertThat(events).contains(new WorkEvent.CallRefused("limiter"));
            second.cancel(false);
            assertThat(limiter.tryTurn()).as("others wait").isFalse();
            limiter.start(call("e"));
            time.advance(SECOND);
            assertThat(log).as("a cancelled call leaves its turn to the next one").containsExactly("a", "c",
                    "e");
        }
    }

    @Promise("46.3")
    @EveryStrategy
    void handlersCallsAndCodeShareOneRate(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var limiter = limiter(scope, 3, 10);
            var actor = scope.anonymous().newActorWithReturn((String text) -> {
                limiter.await();
                return text + "!";
            });
            assertThat(Waits.on(actor.sendMessageReturn("hello"))).isEqualTo("hello!");
            limiter.start(call("a"));
            assertThat(log).containsExactly("a");
            limiter.await();
            assertThat(limiter.tryTurn()).as("three were taken").isFalse();
        }
    }

    @Promise("46.3")
    @EveryStrategy
    void aHandlerWaitsForItsTurn(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the test would wait itself
        }
        try (var scope = scope(strategy)) {
            var limiter = limiter(scope, 1, 10);
            var handled = new AtomicInteger();
            var actor = scope.anonymous().newActor((String text) -> {
                limiter.await();
                handled.incrementAndGet();
            });
            for (int i = 0; i < 3; i++) {
                actor.sendMessage("x");
            }
            time.advance(Duration.ZERO);
            for (int i = 1; i <= 3; i++) {
                var due = i;
                soon().until(() -> handled.get() >= due); // the clock does not wait for threads of the user
                assertThat(handled).hasValue(due);
                time.advance(SECOND.dividedBy(2));
            }
        }
    }

    @Promise("46.5")
    @EveryStrategy
    void aHandlerWaitsNoLongerThanItsTime(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the test would wait itself
        }
        try (var scope = scope(strategy)) {
            var limiter = limiter(scope, 1, 10);
            limiter.await();
            var failures = new CopyOnWriteArrayList<Throwable>();
            var actor = scope.anonymous().newActorWithReturn((String text) -> {
                try {
                    limiter.await();
                } catch (AskTimeoutException e) {
                    failures.add(e);
                }
                return text;
            });
            var answer = actor.ask("x", SECOND.dividedBy(4));
            time.awaitRest();
            time.advance(SECOND.dividedBy(4));
            assertThat(Waits.failure(answer)).isInstanceOf(AskTimeoutException.class);
            actor.execAndWait(() -> {
            });
            assertThat(failures).hasSize(1);
            assertThat(limiter.waiting()).isZero();
        }
    }

    @Promise("46.6")
    @EveryStrategy
    void anInterruptAndTheEndOfTheScopeEndAWait(Strategy strategy) throws Exception {
        CompletableFuture<?> turn;
        try (var scope = scope(strategy)) {
            var limiter = limiter(scope, 1, 10);
            limiter.await();
            Thread.currentThread().interrupt();
            assertThatThrownBy(limiter::await).isInstanceOf(InterruptedException.class);
            assertThat(limiter.waiting()).isZero();
            turn = limiter.turn();
        }
        assertThat(Waits.failure(turn)).isInstanceOf(ActorStoppedException.class);
    }

    @Promise("46.3")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aTurnThatIsGivenBackLateIsNotUsedTwice(int burst) throws Exception {
        var held = new ConcurrentLinkedQueue<Runnable>();
        try (var scope = scope(Strategy.FIBERS);
                var late = scope.child("late").strategy(CreationStrategy.of(held::add)).open()) {
            var limiter = RateLimiter.open(late, "limiter",
                    RateLimiterOptions.of(1, SECOND, 10).withBurst(burst));
            try {
                assertThat(turnsOf(limiter)).isEqualTo(burst);
                var result = limiter.start(call("late"));
                time.advance(SECOND);
                Waits.until("its turn has come", () -> runOne(held) && limiter.waiting() == 0);
                time.advance(SECOND.multipliedBy(10));
                assertThat(turnsOf(limiter)).isEqualTo(burst);
                result.cancel(false);
                assertThat(turnsOf(limiter)).isZero();
                time.advance(SECOND);
                assertThat(turnsOf(limiter)).isOne();
            } finally {
                late.stop(Duration.ZERO);
                while (runOne(held)) {
                    continue;
                }
            }
        }
        assertThat(log).isEmpty();
    }

    private static int turnsOf(RateLimiter limiter) {
        int turns = 0;
        while (limiter.tryTurn()) {
            turns++;
        }
        return turns;
    }

    private static boolean runOne(Queue<Runnable> held) {
        var turn = held.poll();
        if (turn != null) {
            turn.run();
        }
        return turn != null;
    }

    @Test
    void aLimitMustMakeSense() {
        assertThatThrownBy(() -> RateLimiterOptions.of(0, SECOND, 1))
                .hasMessageContaining("times must be at least 1: 0");
        assertThatThrownBy(() -> RateLimiterOptions.of(1, SECOND, 1).withBurst(0))
                .hasMessageContaining("burst must be at least 1");
        assertThatThrownBy(() -> RateLimiterOptions.of(5, Duration.ofNanos(4), 1))
                .hasMessageContaining("PT0.000000004S");
    }

    @Test
    void numbersMayBeAsLargeAsTheyCan() {
        try (var scope = scope(Strategy.FIBERS)) {
            for (var limit : List.of(
                    RateLimiterOptions.of(1, Duration.ofSeconds(Long.MAX_VALUE), Integer.MAX_VALUE),
                    RateLimiterOptions.of(Integer.MAX_VALUE, Duration.ofDays(9), Integer.MAX_VALUE),
                    RateLimiterOptions.of(1, Duration.ofDays(9), Integer.MAX_VALUE)
                            .withBurst(Integer.MAX_VALUE))) {
                assertThat(RateLimiter.open(scope, "limiter", limit).tryTurn()).isTrue();
            }
        }
    }
}
