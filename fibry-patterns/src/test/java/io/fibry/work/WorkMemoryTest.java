package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** What policies keep, and what they do not. */
class WorkMemoryTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualTime time = new ManualTime();

    private ActorScope scope(Strategy strategy) {
        return Scopes.on(strategy, new Recorder(), time);
    }

    @Promise("46.4")
    @EveryStrategy
    void aLongRetryKeepsNoAttemptThatIsOver(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var retry = Retry.open(scope, "retry",
                    RetryOptions.of(Integer.MAX_VALUE, SECOND, SECOND).withRandom(() -> 0));
            var attempts = new ArrayList<WeakReference<Object>>();
            var result = retry.start(() -> {
                var attempt = CompletableFuture.<Integer>failedFuture(new IOException("again"));
                attempts.add(new WeakReference<>(attempt));
                return attempt;
            });
            var dependents = result.getNumberOfDependents();
            time.advance(SECOND.multipliedBy(50));
            assertThat(attempts).hasSize(51);
            assertThat(result.getNumberOfDependents()).isEqualTo(dependents);
            Garbage.isEachOf(attempts.subList(0, 50));
            assertThat(time.pending()).isOne();
            result.cancel(false);
            assertThat(time.pending()).isZero();
        }
    }

    @Promise("46.6")
    @EveryStrategy
    void policiesThatAreMadeForOneCallAreGone(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var gone = new ArrayList<WeakReference<Object>>();
            for (int i = 0; i < 5; i++) {
                gone.addAll(useOnce(scope));
            }
            time.advance(SECOND.multipliedBy(5));
            Waits.until("nothing is left in the scope", () -> EngineProbe.footprint(scope) == 0);
            Garbage.isEachOf(gone);
        }
    }

    private List<WeakReference<Object>> useOnce(ActorScope scope) {
        var retry = Retry.open(scope, "retry", RetryOptions.of(2, SECOND, SECOND));
        retry.start(() -> {
            throw new IOException("again");
        });
        var hedge = Hedge.open(scope, "hedge", HedgeOptions.after(SECOND));
        hedge.start(CompletableFuture::new).complete("by hand");
        var breaker = CircuitBreaker.open(scope, "breaker",
                BreakerOptions.of(BreakerWindow.lastCalls(2), SECOND));
        breaker.start(() -> CompletableFuture.completedFuture(1));
        var limiter = RateLimiter.open(scope, "limiter", RateLimiterOptions.of(1, SECOND, 3));
        limiter.turn();
        limiter.turn();
        limiter.turn().cancel(false);
        return List.of(new WeakReference<>(retry), new WeakReference<>(hedge), new WeakReference<>(breaker),
                new WeakReference<>(limiter));
    }

    @Promise("46.3")
    @EveryStrategy
    void callersThatGiveUpLeaveNothing(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var limiter = RateLimiter.open(scope, "limiter",
                    RateLimiterOptions.of(1, HOUR, 5_000));
            limiter.await();
            var turns = new ArrayList<CompletableFuture<?>>();
            for (int i = 0; i < 5_000; i++) {
                turns.add(limiter.turn());
            }
            assertThat(limiter.turn()).isCompletedExceptionally();
            turns.reversed().forEach(turn -> turn.cancel(false));
            assertThat(limiter.waiting()).isZero();
            assertThat(time.pending()).as("no alarm for nobody").isZero();
            Waits.until("nothing is left in the scope", () -> EngineProbe.footprint(scope) == 0);
            var next = limiter.turn();
            time.advance(HOUR);
            assertThat(next).isCompleted();
        }
    }

    @Promise("46.9")
    @EveryStrategy
    void attemptsThatHaveEndedAreNotKeptByTheirCall(Strategy strategy) throws Exception {
        try (var scope = scope(strategy)) {
            var pending = new PendingCall<>(new Environment(scope, "call", event -> {
            }), CompletableFuture<Integer>::new);
            var attempts = new CopyOnWriteArrayList<CompletableFuture<Integer>>();
            for (int i = 0; i < 10; i++) {
                attempts.add(pending.start());
            }
            pending.later(SECOND, LaterCode.UNTIL_CLOSE, () -> {
            });
            assertThat(pending.open()).isEqualTo(11);
            time.advance(SECOND);
            attempts.subList(0, 9).forEach(attempt -> attempt.completeExceptionally(new IOException("no")));
            assertThat(pending.open()).isOne();
            pending.result().complete(1);
            assertThat(attempts.getLast()).isCancelled();
            assertThat(pending.open()).isZero();
        }
    }
}
