package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.StopReport;
import io.fibry.internal.clock.SystemTime;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A handler that needs some time after its interrupt is not stuck, however short the deadline of the stop was. */
class GraceTest {
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    /** In the place of the system's clock, which counts the second after an interrupt. */
    private final ManualTime system = new ManualTime();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @BeforeEach
    void stopTheClock() {
        SystemTime.standIn(system);
    }

    @AfterEach
    void startTheClock() {
        SystemTime.standIn(null);
    }

    private Actor<Integer, Void> busy(ActorScope scope) throws Exception {
        Actor<Integer, Void> actor = scope.named("tom").newActor((Integer n) -> {
            try {
                Waits.untilInterrupted(begun, interrupted);
            } catch (InterruptedException e) {
                Waits.on(mayEnd);
            }
        });
        Thread.startVirtualThread(() -> actor.sendMessage(1));
        Waits.on(begun);
        return actor;
    }

    private void stops(Strategy strategy, Duration deadline,
            BiFunction<ActorScope, Actor<Integer, Void>, StopReport> stop) throws Exception {
        var scope = Scopes.configure().strategy(strategy.create()).time(time).closeTimeout(SHORT).open();
        var actor = busy(scope);
        Future<StopReport> report = CompletableFuture.supplyAsync(() -> stop.apply(scope, actor));
        if (deadline.isPositive()) {
            Waits.until("the deadline is set", () -> time.pending() == 1);
            time.advance(deadline);
        }
        Waits.on(interrupted);
        Waits.until("the second has begun", () -> system.pending() > 0);
        time.advance(Duration.ofHours(1)); // the clock of the scope does not count any more
        system.advance(SECOND.minusNanos(1));
        assertThat(report.isDone()).isFalse();
        mayEnd.countDown();
        assertThat(Waits.on(report)).matches(StopReport::stopped).matches(StopReport::forced);
        scope.close();
    }

    @Promise("9.3")
    @EveryStrategy
    void anActorThatIsStoppedWithAShortDeadline(Strategy strategy) throws Exception {
        stops(strategy, SHORT, (scope, actor) -> actor.stop(SHORT));
    }

    @Promise("9.3")
    @EveryStrategy
    void anActorThatIsStoppedWithoutADeadline(Strategy strategy) throws Exception {
        stops(strategy, Duration.ZERO, (scope, actor) -> actor.stop(Duration.ZERO));
    }

    @Promise("9.3")
    @EveryStrategy
    void aScopeThatIsStoppedWithAShortDeadline(Strategy strategy) throws Exception {
        stops(strategy, SHORT, (scope, actor) -> scope.stop(SHORT));
    }

    @Promise("9.3")
    @EveryStrategy
    void aScopeThatIsStoppedWithoutADeadline(Strategy strategy) throws Exception {
        stops(strategy, Duration.ZERO, (scope, actor) -> scope.stop(Duration.ZERO));
    }

    @Promise({"9.3", "25.6"})
    @EveryStrategy
    void aScopeWithAShortCloseTimeout(Strategy strategy) throws Exception {
        stops(strategy, SHORT, (scope, actor) -> {
            scope.close();
            return scope.onStopped().join();
        });
    }

    /** Not a moment longer than the second. */
    @Promise("9.3")
    @EveryStrategy
    void anActorThatNeedsLongerIsStuck(Strategy strategy) throws Exception {
        var scope = Scopes.configure().strategy(strategy.create()).time(time).closeTimeout(SHORT).open();
        var actor = busy(scope);
        var report = CompletableFuture.supplyAsync(() -> actor.stop(Duration.ZERO));
        Waits.on(interrupted);
        Waits.until("the second has begun", () -> system.pending() > 0);
        system.advance(SECOND);
        assertThat(Waits.on(report)).matches(each -> !each.stopped()).matches(StopReport::forced);
        mayEnd.countDown();
        Waits.stopped(actor);
        scope.close();
    }
}
