package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Code of the program that throws, and ends that come at a bad moment. */
class WorkFaultsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private static Call<Integer> failing() {
        return () -> {
            throw new IOException("no");
        };
    }

    @Promise("46.4")
    @EveryStrategy
    void aRetryHasItsResultWhenItsListenerIsTold(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var result = new AtomicReference<CompletableFuture<String>>();
            var seen = new AtomicBoolean();
            var attempt = new CompletableFuture<String>();
            result.set(Retry.open(scope, "retry", RetryOptions.of(1, SECOND, SECOND)
                    .withListener(event -> seen.set(result.get().isDone()))).start(() -> attempt));
            attempt.completeExceptionally(new IOException("no"));
            assertThat(seen).isTrue();
        }
    }

    @Promise("46.8")
    @EveryStrategy
    void aBreakerHasCountedACallWhenItsCallerLearnsOfIt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var breaker = CircuitBreaker.open(scope, "breaker",
                    BreakerOptions.of(BreakerWindow.lastCalls(4), SECOND));
            var attempt = new CompletableFuture<String>();
            var counted = breaker.start(() -> attempt).handle((value, failure) -> breaker.report().failed());
            attempt.completeExceptionally(new IOException("no"));
            assertThat(Waits.on(counted)).isOne();
        }
    }

    @Promise("46.8")
    @Test
    void aBreakerTakesTheGreatestNumbers() throws Exception {
        try (var scope = scope(Strategy.FIBERS)) {
            var breaker = CircuitBreaker.open(scope, "breaker",
                    BreakerOptions.of(BreakerWindow.lastCalls(Integer.MAX_VALUE), SECOND).withLeast(200)
                            .withTrials(Integer.MAX_VALUE));
            for (int i = 0; i < 200; i++) {
                assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
                breaker.start(failing());
            }
            assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
            time.advance(SECOND);
            assertThat(Waits.on(breaker.start(() -> CompletableFuture.completedFuture(1)))).isOne();
            assertThat(breaker.report()).isEqualTo(new BreakerReport(BreakerState.HALF_OPEN, 1, 0, 0, 0));
        }
    }

    /** A strategy that makes no actor while {@code refuses} holds. */
    private static CreationStrategy refusing(AtomicBoolean refuses) {
        return actor -> {
            if (refuses.get()) {
                throw new IllegalArgumentException("no actor");
            }
            return Runnable::run;
        };
    }

    @Promise("46.7")
    @Test
    void aListenerThatThrowsWhereNoActorCanBeMadeLosesNoAlarm() throws Exception {
        var refuses = new AtomicBoolean();
        try (var scope =
                Scopes.configure().listener(recorder).strategy(refusing(refuses)).time(time).open()) {
            var limiter = RateLimiter.open(scope, "limiter",
                    RateLimiterOptions.of(1, SECOND, 3).withListener(event -> {
                        refuses.set(true);
                        throw new IllegalStateException("of a listener");
                    }));
            limiter.await();
            var turn = limiter.turn();
            refuses.set(false);
            time.advance(SECOND);
            assertThat(turn).isCompleted();
        }
    }

    @Promise("46.3")
    @Test
    void turnsThatCannotBeGivenComeLater() throws Exception {
        var refuses = new AtomicBoolean();
        try (var scope =
                Scopes.configure().listener(recorder).strategy(refusing(refuses)).time(time).open()) {
            var limiter =
                    RateLimiter.open(scope, "limiter", RateLimiterOptions.of(1, SECOND, 3));
            limiter.await();
            var first = limiter.turn();
            var second = limiter.turn();
            refuses.set(true);
            time.advance(SECOND);
            assertThat(recorder.await(Failed.class).cause()).hasMessage("no actor");
            refuses.set(false);
            time.advance(SECOND.multipliedBy(2));
            assertThat(first).isCompleted();
            assertThat(second).isCompleted();
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("46.9")
    @Test
    void anAttemptThatCannotBeginDoesNotEndTheOthers() throws Exception {
        var refuses = new AtomicBoolean();
        try (var scope =
                Scopes.configure().listener(recorder).strategy(refusing(refuses)).time(time).open()) {
            var hedge = Hedge.open(scope, "hedge", HedgeOptions.after(SECOND)
                    .withListener(event -> refuses.set(event instanceof WorkEvent.HedgeStarted)));
            var first = new CompletableFuture<String>();
            var healthy = hedge.start(() -> first);
            time.advance(SECOND);
            assertThat(refuses).isTrue();
            refuses.set(false);
            assertThat(healthy).isNotDone();
            first.complete("first");
            assertThat(Waits.on(healthy)).isEqualTo("first");
            var failed = new CompletableFuture<String>();
            var ill = hedge.start(() -> failed);
            time.advance(SECOND);
            refuses.set(false);
            failed.completeExceptionally(new IOException("no"));
            assertThat(Waits.failure(ill)).hasMessage("no actor");
        }
    }

    /** The test decides when actors of this scope run. */
    private final Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
    private final ManualTime impatient = new ManualTime(Instant.EPOCH, Duration.ZERO);

    private ActorScope scopeByHand() {
        return Scopes.configure().listener(recorder).strategy(CreationStrategy.of(turns::add)).time(impatient)
                .open();
    }

    private void runTurns() {
        Waits.until("an actor is to run", () -> !turns.isEmpty());
        while (!turns.isEmpty()) {
            turns.remove().run();
        }
    }

    @Promise("46.3")
    @Test
    void aTurnThatIsGivenUpInTheLastMomentIsForTheNextOne() throws Exception {
        var scope = scopeByHand();
        var limiter = RateLimiter.open(scope, "limiter",
                RateLimiterOptions.of(1, SECOND, 3).withBurst(2));
        limiter.await();
        limiter.await();
        var first = limiter.turn();
        var second = limiter.turn();
        var third = limiter.turn();
        var cancelled = first.thenRun(() -> second.cancel(false));
        impatient.advance(SECOND.multipliedBy(2)); // two turns are due, and the actor that gives them runs only now
        runTurns();
        assertThat(cancelled).isCompleted();
        impatient.advance(Duration.ZERO);
        runTurns();
        assertThat(third).isCompleted();
        scope.stop(Duration.ZERO);
    }

    @Promise("46.3")
    @Test
    void aCallThatIsCancelledBeforeItBeginsLeavesItsTurn() throws Exception {
        var scope = scopeByHand();
        var limiter = RateLimiter.open(scope, "limiter", RateLimiterOptions.of(1, SECOND, 3));
        limiter.await();
        var begun = new AtomicInteger();
        var first = limiter.start(() -> CompletableFuture.completedFuture(begun.incrementAndGet()));
        impatient.advance(SECOND);
        Waits.until("an actor is to run", () -> !turns.isEmpty());
        turns.remove().run(); // its turn is there, and the actor in which it would begin has not run
        first.cancel(false);
        assertThat(limiter.tryTurn()).isTrue();
        while (!turns.isEmpty()) {
            turns.remove().run();
        }
        assertThat(begun).hasValue(0);
        scope.stop(Duration.ZERO);
    }

    @Promise("46.5")
    @EveryStrategy
    void noFirstAttemptBeginsWhenTheTimeIsOver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var limiter =
                    RateLimiter.open(scope, "limiter", RateLimiterOptions.of(1, MINUTE, 3));
            var policies = List.of(Retry.open(scope, "retry", RetryOptions.of(2, SECOND, SECOND)),
                    Hedge.open(scope, "hedge", HedgeOptions.after(SECOND)), limiter,
                    CircuitBreaker.open(scope, "breaker",
                            BreakerOptions.of(BreakerWindow.lastCalls(4), SECOND)));
            var begun = new AtomicInteger();
            var results = new CopyOnWriteArrayList<CompletableFuture<Integer>>();
            var actor = scope.anonymous().newActorWithReturn((String text) -> {
                time.advance(SECOND);
                policies.forEach(policy -> results
                        .add(policy.start(() -> CompletableFuture.completedFuture(begun.incrementAndGet()))));
                return text;
            });
            assertThat(Waits.failure(actor.ask("x", SECOND)))
                    .isInstanceOf(AskTimeoutException.class);
            actor.execAndWait(() -> {
            });
            assertThat(results).hasSize(4);
            for (var result : results) {
                assertThat(Waits.failure(result)).isInstanceOf(AskTimeoutException.class);
            }
            assertThat(begun).hasValue(0);
            assertThat(limiter.tryTurn()).as("no turn was taken").isTrue();
        }
    }

    @Promise("46.6")
    @EveryStrategy
    void aHandlerThatWaitsForItsTurnDoesNotHoldUpTheCloseOfItsScope(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // the test would wait itself
        }
        var scope = scope(strategy);
        var limiter = RateLimiter.open(scope, "limiter", RateLimiterOptions.of(1, MINUTE, 3));
        limiter.await();
        var retry = Retry.open(scope, "retry", RetryOptions.of(2, MINUTE, MINUTE));
        var failures = new CopyOnWriteArrayList<Throwable>();
        for (var wait : List.<Supplier<CompletableFuture<?>>>of(limiter::turn,
                () -> retry.start(failing()))) {
            var entered = new CountDownLatch(1);
            scope.anonymous().newActor((String text) -> {
                var future = wait.get();
                entered.countDown();
                failures.add(Waits.failure(future));
            }).sendMessage("x");
            Waits.on(entered);
        }
        var report = scope.stop(MINUTE); // by a clock that stands still
        assertThat(report.forced()).isFalse();
        assertThat(failures).hasSize(2).allMatch(ActorStoppedException.class::isInstance);
    }

    @Promise("46.4")
    @EveryStrategy
    void anInterruptIsNotSwallowed(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            Call<String> interrupted = () -> {
                throw new InterruptedException("as wanted");
            };
            var result = Retry.open(scope, "retry", RetryOptions.of(1, SECOND, SECOND)).start(interrupted);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(Waits.failure(result)).isInstanceOf(InterruptedException.class);
            CircuitBreaker.open(scope, "breaker", BreakerOptions.of(BreakerWindow.lastCalls(4), SECOND))
                    .start(interrupted);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Promise("46.4")
    @EveryStrategy
    void whatAPredicateThrowsHasTheFailureOfTheAttempt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var failure = Waits.failure(Retry.open(scope, "retry", RetryOptions.of(2, SECOND, SECOND)
                    .withRetries(cause -> {
                        throw new IllegalStateException("of the predicate");
                    })).start(failing()));
            assertThat(failure).hasMessage("of the predicate");
            assertThat(failure.getSuppressed()).singleElement().isInstanceOf(IOException.class);
        }
    }

    @Promise("46.4")
    @Test
    void theLongestTimesAreForEver() throws Exception {
        var ever = Duration.ofSeconds(Long.MAX_VALUE);
        try (var scope = scope(Strategy.FIBERS)) {
            var retried = Retry.open(scope, "retry", RetryOptions.of(3, ever, ever)).start(failing());
            var hedged = Hedge.open(scope, "hedge", HedgeOptions.after(ever))
                    .start(CompletableFuture<Integer>::new);
            var limiter = RateLimiter.open(scope, "limiter", RateLimiterOptions.of(1, ever, 9));
            limiter.await();
            var turns =
                    List.of(limiter.turn(), limiter.turn(), limiter.turn(), limiter.turn(), limiter.turn());
            var breaker = CircuitBreaker.open(scope, "breaker",
                    BreakerOptions.of(BreakerWindow.lastTime(ever), SECOND).withLeast(2));
            breaker.start(failing());
            assertThat(breaker.report().failed()).isOne();
            time.advance(Duration.ofDays(36_500).dividedBy(2));
            assertThat(retried).isNotDone();
            time.advance(ever);
            time.advance(SECOND);
            assertThat(turns.getLast()).isNotDone();
            assertThat(limiter.waiting()).isPositive();
            hedged.cancel(false);
            retried.cancel(false);
        }
    }
}
