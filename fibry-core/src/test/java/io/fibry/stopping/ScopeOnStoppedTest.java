package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.StopReport;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ScopeOnStoppedTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @Promise("32.1")
    @EveryStrategy
    void theEndIsToldWithTheReportOfTheStop(Strategy strategy) throws Exception {
        var closed = new AtomicBoolean();
        try (var scope = Scopes.on(strategy)) {
            scope.closeOnExit(() -> closed.set(true));
            scope.anonymous().newActor((Integer n) -> {
            }).sendMessage(1);
            var end = scope.onStopped();
            var cancelled = scope.onStopped();
            var seen = end.thenApply(report -> closed.get());
            assertThat(end).isNotDone();
            cancelled.cancel(false);
            var report = scope.stop(LONG);
            assertThat(Waits.on(end)).isEqualTo(report);
            assertThat(report.counters().handled()).isEqualTo(1);
            assertThat(Waits.on(seen)).as("the resources have been closed").isTrue();
            assertThat(scope.onStopped()).as("after the end").isCompletedWithValue(report);
        }
    }

    @Promise("32.1")
    @EveryStrategy
    void anInnerScopeEndsWithTheOneAround(Strategy strategy) throws Exception {
        CompletableFuture<StopReport> end;
        try (var scope = Scopes.on(strategy)) {
            var inner = scope.child("inner").open();
            inner.child("innermost").open();
            end = inner.onStopped();
            inner.anonymous().newActorWithReturn((Integer n) -> n).apply(1);
        }
        var report = Waits.on(end);
        assertThat(report.name()).isEqualTo("inner");
        assertThat(report.stopped()).isTrue();
        assertThat(report.counters().handled()).isEqualTo(1);
    }

    @Promise("32.1")
    @EveryStrategy
    void aScopeThatItsOwnActorClosesEndsAfterThatActor(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy);
        var ran = new AtomicBoolean();
        var end = scope.onStopped();
        var seen = end.thenApply(report -> ran.get());
        var actor =
                scope.named("closer").onExit(() -> ran.set(true)).newActor((String message) -> scope.close());
        var sender = Thread.startVirtualThread(() -> actor.sendMessage("close"));
        assertThat(Waits.on(seen)).as("the actor has ended").isTrue();
        assertThat(Waits.on(end)).matches(report -> report.stopped() && report.stuck().isEmpty()
                && report.stacks().isEmpty());
        Waits.on(sender);
    }

    @Promise("32.1")
    @Test
    void callbacksDoNotHoldUpTheEnd() throws Exception {
        var goesOn = new CountDownLatch(1);
        CompletableFuture<Void> callback;
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            callback = scope.onStopped().thenAccept(report -> {
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        assertThat(callback).isNotDone();
        goesOn.countDown();
        Waits.on(callback);
    }

    @Promise("32.1")
    @Test
    void threadsThatCloseAndOpenAtTheSameTimeAllGetOneReport() throws Exception {
        for (int round = 0; round < 100; round++) {
            var scope = Scopes.on(Strategy.FIBERS);
            var ends = new ArrayList<CompletableFuture<StopReport>>();
            ends.add(scope.onStopped());
            var other = Thread.ofPlatform().start(scope::close);
            try {
                while (true) {
                    ends.add(scope.child("inner").open().onStopped());
                }
            } catch (IllegalStateException closed) {
                scope.close();
            }
            Waits.on(other);
            for (var end : ends) {
                assertThat(Waits.on(end).stopped()).isTrue();
            }
        }
    }
}
