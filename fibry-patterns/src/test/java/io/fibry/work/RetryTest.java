package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy.Backoff;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls that are started again after a failure. */
class RetryTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Recorder recorder = new Recorder();
    private final ManualTime time = new ManualTime();
    private final List<WorkEvent> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final RetryOptions options = RetryOptions.of(4, SECOND, SECOND.multipliedBy(3))
            .withRandom(() -> 0).withListener(events::add);

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, recorder, time);
    }

    private Call<Integer> failing(int times) {
        return () -> {
            var number = begun.incrementAndGet();
            if (number <= times) {
                throw new IOException("attempt " + number);
            }
            return CompletableFuture.completedFuture(number);
        };
    }

    @Promise("46.4")
    @EveryStrategy
    void theNextAttemptComesAfterAPauseThatGrows(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var result = Retry.open(scope, "retry", options).start(failing(3));
            for (int pause : List.of(1, 2, 3)) {
                var before = begun.get();
                time.advance(SECOND.multipliedBy(pause).minusNanos(1));
                assertThat(begun).hasValue(before);
                assertThat(result).isNotDone();
                time.advance(Duration.ofNanos(1));
                assertThat(begun).hasValue(before + 1);
            }
            assertThat(Waits.on(result)).isEqualTo(4);
            assertThat(events).hasSize(3).allMatch(event -> event instanceof WorkEvent.AttemptFailed failed
                    && failed.pause().equals(SECOND.multipliedBy(failed.attempt())));
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("46.4")
    @EveryStrategy
    void theLastFailureIsTheResult(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var result = Retry.open(scope, "retry", options).start(failing(9));
            time.advance(MINUTE);
            assertThat(Waits.failure(result)).isInstanceOf(IOException.class).hasMessage("attempt 4");
            assertThat(begun).hasValue(4);
            assertThat(events).hasSize(4);
            assertThat(events.getLast()).isInstanceOfSatisfying(WorkEvent.GaveUp.class,
                    end -> assertThat(end.attempts()).isEqualTo(4));
        }
    }

    @Promise("46.4")
    @EveryStrategy
    void whatIsNotToBeRetriedIsNot(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var picky =
                    Retry.open(scope, "retry", options.withRetries(IllegalStateException.class::isInstance));
            assertThat(Waits.failure(picky.start(failing(9)))).hasMessage("attempt 1");
            var broken = Retry.open(scope, "broken", options.withRetries(failure -> {
                throw new IllegalArgumentException("of the predicate");
            }));
            assertThat(Waits.failure(broken.start(failing(9)))).hasMessage("of the predicate");
            assertThat(begun).hasValue(2);
            assertThat(Waits.failure(Retry.open(scope, "e", options).start(() -> {
                throw new StackOverflowError("no");
            }))).isInstanceOf(StackOverflowError.class);
        }
    }

    @Promise("46.4")
    @EveryStrategy
    void jitterShortensAPause(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var numbers = new ArrayList<>(List.of(0.0, 1.0, 0.5));
            var retry = Retry.open(scope, "retry", options.withBackoff(new Backoff(SECOND, MINUTE, 0.5))
                    .withRandom(numbers::removeFirst));
            retry.start(failing(3));
            time.advance(MINUTE);
            assertThat(events).extracting(event -> ((WorkEvent.AttemptFailed) event).pause())
                    .containsExactly(SECOND, SECOND, SECOND.multipliedBy(3));
        }
    }

    @Promise("46.4")
    @EveryStrategy
    void anAskIsAskedAgain(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var actor = scope.anonymous().newActorWithReturn((String text) -> {
                if (begun.incrementAndGet() < 3) {
                    throw new IllegalStateException("busy");
                }
                return text + begun;
            });
            var retry = Retry.open(scope, "retry", options);
            var result = retry.start(() -> actor.ask("n", MINUTE));
            time.advance(SECOND);
            time.advance(SECOND.multipliedBy(2));
            assertThat(Waits.on(result)).isEqualTo("n3");
            assertThat(Waits.on(retry.start(Call.inActor(scope, () -> "code")))).isEqualTo("code");
            assertThat(retry).hasToString("Retry[retry, attempts: 4]");
        }
    }

    @Promise("46.5")
    @EveryStrategy
    void noAttemptBeginsAfterTheLimitOfTheCaller(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var retry = Retry.open(scope, "retry", options);
            var results = new CopyOnWriteArrayList<CompletableFuture<Integer>>();
            var left = new CopyOnWriteArrayList<Duration>();
            Actor<String, Integer> caller = scope.anonymous().newActorWithReturn((context, text) -> {
                left.add(ActorSystem.timeLeft().orElseThrow());
                var result = retry.start(failing(9));
                results.add(result);
                context.deferReply().completeFrom(result);
                return null;
            });
            var answer = caller.ask("go", SECOND.multipliedBy(3));
            time.advance(SECOND);
            assertThat(begun).hasValue(2);
            // The pause of two seconds would end when the time is over: so it does not begin.
            assertThat(Waits.failure(answer)).hasMessage("attempt 2");
            assertThat(Waits.failure(results.getFirst())).hasMessage("attempt 2");
            assertThat(left).containsExactly(SECOND.multipliedBy(3));
            assertThat(ActorSystem.timeLeft()).isEmpty();
        }
    }

    @Promise("46.5")
    @EveryStrategy
    void anAttemptHasTheTimeThatIsLeft(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var left = new CopyOnWriteArrayList<Duration>();
            var never = new CompletableFuture<Integer>();
            var results = new CopyOnWriteArrayList<CompletableFuture<Integer>>();
            var retry = Retry.open(scope, "retry", options);
            var caller = scope.anonymous().newActor((String text) -> results.add(retry.start(() -> {
                left.add(ActorSystem.timeLeft().orElseThrow());
                return left.size() == 1 ? CompletableFuture.failedFuture(new IOException("first")) : never;
            })));
            caller.ask("go", SECOND.multipliedBy(3));
            time.advance(SECOND.multipliedBy(3));
            assertThat(left).containsExactly(SECOND.multipliedBy(3), SECOND.multipliedBy(2));
            assertThat(Waits.failure(results.getFirst())).isInstanceOf(AskTimeoutException.class)
                    .hasMessageContaining("'retry'");
            assertThat(never).isCancelled();
        }
    }

    @Promise("46.6")
    @EveryStrategy
    void aCancellationEndsAPauseAndAnAttempt(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var retry = Retry.open(scope, "retry", options);
            var pausing = retry.start(failing(9));
            time.awaitRest();
            pausing.cancel(true);
            time.advance(MINUTE);
            assertThat(begun).hasValue(1);
            var attempt = new CompletableFuture<String>();
            retry.start(() -> attempt).cancel(true);
            assertThat(attempt).isCancelled();
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("46.6")
    @EveryStrategy
    void codeInAnActorIsInterrupted(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // there the code runs in the caller
        }
        try (var scope = scope(strategy)) {
            var entered = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var result = Retry.open(scope, "retry", options).start(Call.inActor(scope, () -> {
                Waits.untilInterrupted(entered, interrupted);
                return 1;
            }));
            Waits.on(entered);
            result.cancel(true);
            Waits.on(interrupted);
        }
    }

    @Promise("46.6")
    @EveryStrategy
    void theEndOfTheScopeEndsAPause(Strategy strategy) throws Exception {
        CompletableFuture<Integer> result;
        Retry retry;
        try (var scope = scope(strategy)) {
            retry = Retry.open(scope, "retry", options);
            result = retry.start(failing(9));
        }
        assertThat(Waits.failure(result)).isInstanceOf(ActorStoppedException.class)
                .hasMessageContaining("'retry'");
        assertThat(Waits.failure(retry.start(failing(9)))).isInstanceOf(ActorStoppedException.class);
        assertThat(Waits.on(retry.start(failing(0)))).isEqualTo(3);
    }

    @Promise("46.7")
    @EveryStrategy
    void aListenerThatThrowsChangesNothing(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var result = Retry.open(scope, "retry", options.withListener(event -> {
                throw new IllegalStateException("of a listener");
            })).start(failing(1));
            time.advance(SECOND);
            assertThat(Waits.on(result)).isEqualTo(2);
            assertThat(recorder.await(Failed.class).cause()).hasMessage("of a listener");
            assertThatThrownBy(() -> RetryOptions.of(0, SECOND, SECOND)).hasMessageContaining("0");
        }
    }

    @Promise("46.7")
    @EveryStrategy
    void policiesAroundEachOther(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var breaker = CircuitBreaker.open(scope, "breaker",
                    BreakerOptions.of(BreakerWindow.lastCalls(2), SECOND.multipliedBy(2))
                            .withListener(events::add));
            var hedge = Hedge.open(scope, "hedge", HedgeOptions.after(SECOND));
            var retry = Retry.open(scope, "retry", options);
            var result = retry.around(breaker.around(hedge)).start(failing(2));
            // Attempts at 0 s and 1 s fail and open the breaker, which refuses nothing at 3 s, when it is half-open.
            time.advance(SECOND.multipliedBy(3));
            assertThat(Waits.on(result)).isEqualTo(3);
            assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
            assertThat(events).filteredOn(WorkEvent.BreakerMoved.class::isInstance).hasSize(3);
        }
    }
}
