package io.fibry.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StereotypesTest {
    private final Recorder recorder = new Recorder();

    private static Stereotypes in(ActorScope scope) {
        return Stereotypes.with(scope.anonymous());
    }

    @EveryStrategy
    void aSinkHandlesAndForgets(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<String, Void> sink = in(scope).sink(null);
            Actor<String, Void> kept = in(scope).sink("state");
            for (var actor : new Actor<?, ?>[]{sink, kept}) {
                assertThat(Waits.on(actor.execFuture(() -> "code"))).isEqualTo("code");
            }
            assertThat(sink.sendMessage("gone")).isTrue();
            assertThat(Waits.on(kept.sendMessageReturn("gone"))).isNull();
            sink.close();
            assertThat(sink.counters().handled()).isEqualTo(2);
        }
    }

    @EveryStrategy
    void runOnceRunsItsCodeAndStops(Strategy strategy) throws Exception {
        var ran = new AtomicInteger();
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<String, Void> actor = in(scope).runOnce(ran::incrementAndGet);
            actor.waitForExit();
            assertThat(ran).hasValue(1);
            assertThat(recorder.of(Failed.class)).isEmpty();

            var failure = new IOException("reported");
            in(scope).runOnce(() -> {
                throw failure;
            }).waitForExit();
            assertThat(recorder.await(Failed.class).cause()).isSameAs(failure);
        }
    }

    @EveryStrategy
    void runOnceSilentKeepsItsFailuresToItself(Strategy strategy) {
        try (var scope = Scopes.on(strategy, recorder)) {
            in(scope).runOnceSilent(() -> {
                throw new IOException("not reported");
            }).waitForExit();
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @EveryStrategy
    void runOnceClosesWhatItIsGiven(Strategy strategy) {
        try (var scope = Scopes.on(strategy, recorder)) {
            var closed = new AtomicInteger();
            in(scope).runOnce(() -> {
            }).closeOnExit(closed::incrementAndGet).waitForExit();
            assertThat(closed).hasValue(1);
        }
    }

    @Test
    void theStrategyIsChosenByTheEntry() throws Exception {
        var threads = new ArrayList<CompletableFuture<Thread>>();
        for (var stereotypes : new Stereotypes[]{Stereotypes.threads(), Stereotypes.fibers(),
            Stereotypes.def(), Stereotypes.on(CreationStrategy.caller())}) {
            var thread = new CompletableFuture<Thread>();
            threads.add(thread);
            stereotypes.runOnce(() -> thread.complete(Thread.currentThread())).waitForExit();
        }
        assertThat(threads.stream().map(thread -> thread.join().isVirtual())).containsExactly(false, true,
                true,
                false);
        assertThat(threads.getLast()).isCompletedWithValue(Thread.currentThread());
    }

    @Test
    void theSnippetOfTheFrontPageRuns() {
        try (var scope = ActorSystem.open("test")) {
            var act = scope.anonymous().newActorWithReturn((Integer n) -> n * n);
            var sum = new AtomicInteger();
            Stereotypes.def().runOnceSilent(() -> {
                for (int i = 0; i < 1_000; i++) {
                    sum.addAndGet(act.sendMessageReturn(i).get());
                }
            }).closeOnExit(act).waitForExit();
            assertThat(sum).hasValue(332_833_500);
            assertThat(act.waitForExit(Duration.ZERO)).isTrue();
        }
    }

    @Test
    void aWaitingRunOnceIsStoppedByItsScope() throws Exception {
        var started = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        var scope = ActorSystem.open("test");
        Stereotypes.with(scope.anonymous()).runOnceSilent(() -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        Waits.on(started);
        assertThat(scope.stop(Duration.ofMillis(20)).forced()).isTrue();
        Waits.on(interrupted);
    }
}
