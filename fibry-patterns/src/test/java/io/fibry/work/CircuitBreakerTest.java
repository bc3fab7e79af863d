package io.fibry.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that are refused while too many fail. A breaker has no actor, so one strategy is enough. */
class CircuitBreakerTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final BreakerOptions FOUR = BreakerOptions.of(BreakerWindow.lastCalls(4), SECOND);

    private final ManualTime time = new ManualTime();
    private final List<WorkEvent> events = new CopyOnWriteArrayList<>();
    private final ActorScope scope = Scopes.on(Strategy.FIBERS, new Recorder(), time);

    @AfterEach
    void close() {
        scope.close();
    }

    private CircuitBreaker breaker(BreakerOptions options) {
        return CircuitBreaker.open(scope, "breaker", options.withListener(events::add));
    }

    private static void succeed(CircuitBreaker breaker) throws Exception {
        assertThat(Waits.on(breaker.start(() -> CompletableFuture.completedFuture("yes")))).isEqualTo("yes");
    }

    private static void fail(CircuitBreaker breaker) throws Exception {
        assertThat(Waits.failure(breaker.start(() -> {
            throw new IllegalStateException("no");
        }))).hasMessage("no");
    }

    private static void isRefused(CircuitBreaker breaker) throws Exception {
        assertThat(Waits.failure(breaker.start(() -> {
            throw new AssertionError("started");
        }))).isInstanceOf(CircuitOpenException.class).hasMessageContaining("breaker 'breaker'");
    }

    @Promise("46.8")
    @Test
    void itOpensAtTheRateOfAFullWindowAndClosesAfterATrial() throws Exception {
        var breaker = breaker(FOUR);
        fail(breaker);
        fail(breaker);
        succeed(breaker);
        assertThat(breaker.report()).isEqualTo(new BreakerReport(BreakerState.CLOSED, 3, 2, 0, 0));
        succeed(breaker);
        assertThat(breaker.state()).as("the window is full, and half of it failed")
                .isEqualTo(BreakerState.OPEN);
        isRefused(breaker);
        time.advance(SECOND.minusNanos(1));
        isRefused(breaker);
        time.advance(Duration.ofNanos(1));
        assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
        var trial = new CompletableFuture<String>();
        var result = breaker.start(() -> trial);
        isRefused(breaker);
        trial.complete("yes");
        assertThat(Waits.on(result)).isEqualTo("yes");
        assertThat(breaker.report()).isEqualTo(new BreakerReport(BreakerState.CLOSED, 0, 0, 0, 3));
        assertThat(events).filteredOn(WorkEvent.BreakerMoved.class::isInstance).containsExactly(
                new WorkEvent.BreakerMoved("breaker", BreakerState.CLOSED, BreakerState.OPEN),
                new WorkEvent.BreakerMoved("breaker", BreakerState.OPEN, BreakerState.HALF_OPEN),
                new WorkEvent.BreakerMoved("breaker", BreakerState.HALF_OPEN, BreakerState.CLOSED));
        assertThat(breaker).hasToString("CircuitBreaker[breaker, CLOSED]");
        assertThat(time.pending()).isZero();
    }

    @Promise("46.8")
    @Test
    void aTrialThatFailsOpensItAgain() throws Exception {
        var breaker = breaker(FOUR.withTrials(2).withLeast(1).withFailureRate(1));
        fail(breaker);
        time.advance(SECOND);
        fail(breaker);
        assertThat(breaker.state()).as("one of two").isEqualTo(BreakerState.HALF_OPEN);
        fail(breaker);
        isRefused(breaker);
        time.advance(SECOND);
        fail(breaker);
        succeed(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Promise("46.8")
    @Test
    void theWindowOfCallsMovesOn() throws Exception {
        var breaker = breaker(FOUR.withFailureRate(0.75));
        for (int i = 0; i < 20; i++) {
            fail(breaker);
            fail(breaker);
            succeed(breaker);
            succeed(breaker);
            assertThat(breaker.report()).isEqualTo(new BreakerReport(BreakerState.CLOSED, 4, 2, 0, 0));
        }
        fail(breaker);
        fail(breaker);
        assertThat(breaker.report().failed()).isEqualTo(2);
        fail(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }

    @Promise("46.8")
    @Test
    void theWindowOfTimeMovesOn() throws Exception {
        var breaker = breaker(BreakerOptions.of(BreakerWindow.lastTime(SECOND), SECOND).withLeast(3));
        for (int i = 0; i < 10; i++) {
            fail(breaker);
            time.advance(Duration.ofMillis(500));
            assertThat(breaker.report().calls()).isLessThanOrEqualTo(2);
        }
        time.advance(SECOND);
        assertThat(breaker.report().calls()).isZero();
        fail(breaker);
        succeed(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        time.advance(Duration.ofMillis(100));
        fail(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }

    @Promise("46.8")
    @Test
    void slowCallsOpenItToo() throws Exception {
        var breaker = breaker(FOUR.withSlowCalls(SECOND, 0.5));
        for (int i = 0; i < 4; i++) {
            var call = new CompletableFuture<String>();
            var result = breaker.start(() -> call);
            time.advance(i % 2 == 0 ? SECOND : SECOND.minusNanos(1));
            call.complete("yes");
            Waits.on(result);
        }
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }

    @Promise("46.8")
    @Test
    void someFailuresAndCancelledCallsDoNotCount() throws Exception {
        var breaker = breaker(FOUR.withLeast(1).withCounts(failure -> !"no".equals(failure.getMessage())
                && !(failure instanceof CancellationException)));
        fail(breaker);
        assertThat(breaker.report()).isEqualTo(new BreakerReport(BreakerState.CLOSED, 1, 0, 0, 0));
        var call = new CompletableFuture<String>();
        breaker.start(() -> call).cancel(true);
        assertThat(call).isCancelled();
        assertThat(breaker.report().calls()).isOne();
        var odd = breaker(FOUR.withCounts(failure -> {
            throw new IllegalStateException("of the predicate");
        }));
        fail(odd);
        assertThat(odd.report().failed()).isOne();
    }

    @Promise("46.8")
    @Test
    void aTrialThatDoesNotEndOrIsCancelledMakesRoom() throws Exception {
        var breaker = breaker(FOUR.withLeast(1));
        fail(breaker);
        time.advance(SECOND);
        var hangs = new CompletableFuture<String>();
        breaker.start(() -> hangs);
        isRefused(breaker);
        time.advance(SECOND);
        breaker.start(() -> new CompletableFuture<String>()).cancel(true);
        hangs.completeExceptionally(new IllegalStateException("of an earlier round"));
        assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
        succeed(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Promise("46.8")
    @Test
    void itIsOpenedAndClosedByHand() throws Exception {
        var breaker = breaker(FOUR.withLeast(1));
        breaker.forceOpen();
        time.advance(SECOND.multipliedBy(100));
        isRefused(breaker);
        breaker.forceClosed();
        fail(breaker);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        breaker.forceClosed();
        succeed(breaker);
    }

    @Promise("46.8")
    @Test
    void manyThreadsAndOneTrial() throws Exception {
        var breaker = breaker(FOUR.withLeast(1));
        for (int round = 0; round < 50; round++) {
            fail(breaker);
            time.advance(SECOND);
            var started = new AtomicInteger();
            var trial = new CompletableFuture<String>();
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 4; i++) {
                threads.add(Thread.startVirtualThread(() -> breaker.start(() -> {
                    started.incrementAndGet();
                    return trial;
                })));
            }
            for (var thread : threads) {
                Waits.on(thread);
            }
            assertThat(started).hasValue(1);
            trial.complete("yes");
            assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        }
        assertThat(breaker.report().refused()).isEqualTo(150);
    }

    @Promise("46.8")
    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> FOUR.withLeast(5)).hasMessageContainingAll("5", "window");
        assertThatThrownBy(() -> FOUR.withFailureRate(0)).hasMessageContaining("failureRate");
        assertThatThrownBy(() -> FOUR.withSlowCalls(SECOND, 1.1)).hasMessageContaining("slowRate");
        assertThatThrownBy(() -> BreakerWindow.lastCalls(0)).hasMessageContaining("0");
        assertThatThrownBy(() -> BreakerWindow.lastTime(Duration.ZERO)).hasMessageContaining("PT0S");
        assertThatThrownBy(() -> FOUR.withTrials(0)).hasMessageContaining("trials");
    }

    @Promise("46.5")
    @Test
    void aCallFailsAndCountsWhenTheTimeOfItsHandlerIsOver() throws Exception {
        var breaker = breaker(BreakerOptions.of(BreakerWindow.lastCalls(1), SECOND.multipliedBy(10)));
        var attempt = new CompletableFuture<String>();
        var result = new CompletableFuture<CompletableFuture<String>>();
        var actor = scope.anonymous().newActorWithReturn((String text) -> {
            var started = breaker.start(() -> attempt);
            result.complete(started);
            return ActorSystem.timeLeft();
        });
        assertThat(Waits.on(actor.ask("x", SECOND))).contains(SECOND);
        assertThat(Waits.on(result)).isNotDone();
        time.advance(SECOND);
        assertThat(Waits.failure(Waits.on(result))).isInstanceOf(AskTimeoutException.class)
                .hasMessageContaining("'breaker'");
        Waits.until("the attempt is cancelled", attempt::isCancelled);
        Waits.until("the call has counted", () -> breaker.state() == BreakerState.OPEN);
    }
}
