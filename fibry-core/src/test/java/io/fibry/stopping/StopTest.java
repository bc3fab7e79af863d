package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.FailurePolicy;
import io.fibry.StopReport;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.event.Undelivered;
import io.fibry.testing.Aside;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

class StopTest {
    private final Recorder recorder = new Recorder();
    private final List<Integer> handled = new CopyOnWriteArrayList<>();

    private Actor<Integer, Void> actor(ActorScope scope) {
        return scope.named("tom").newActor((Integer n) -> {
            handled.add(n);
        });
    }

    @Promise("9.1")
    @EveryStrategy
    void askExitEndsTheActorAfterTheCurrentMessage(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = actor(scope);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                actor.sendMessage(2);
                actor.askExit();
                assertThat(actor.state()).isEqualTo(ActorState.STOPPING);
                gate.open();
            }
            actor.waitForExit();
            assertThat(actor.state()).isEqualTo(ActorState.STOPPED);
            assertThat(actor.counters().handled()).as("the current one").isEqualTo(1);
            assertThat(handled).isEmpty();
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message)
                    .containsExactly(1, 2);
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.EXIT);
        }
    }

    @Promise("9.1")
    @EveryStrategy
    void aPoisonPillEndsTheActorAfterWhatIsQueuedNow(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = actor(scope);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                actor.sendMessage(2);
                actor.sendPoisonPill();
                actor.sendMessage(3);
                gate.open();
            }
            actor.waitForExit();
            assertThat(handled).containsExactly(1, 2);
            assertThat(recorder.of(Undelivered.class)).extracting(Undelivered::message).containsExactly(3);
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.POISON_PILL);
        }
    }

    @Promise("9.3")
    @EveryStrategy
    void aStopInTimeHandlesWhatIsQueued(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = actor(scope);
            var gate = Gate.in(actor);
            actor.sendMessage(1);
            var report = new CompletableFuture<StopReport>();
            Thread.startVirtualThread(() -> report.complete(actor.stop(Duration.ofMinutes(1))));
            gate.close();
            assertThat(Waits.on(report)).isEqualTo(
                    new StopReport("tom", true, false, List.of(), actor.counters()));
            assertThat(actor.counters().total()).isGreaterThanOrEqualTo(2);
        }
    }

    @Promise("9.3")
    @EveryStrategy
    void afterTheDeadlineTheHandlerIsInterrupted(Strategy strategy) throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var actor = actor(scope);
            try (var gate = Gate.in(actor)) {
                actor.sendMessage(1);
                var report = Aside.run(() -> Forced.stop(() -> actor.stop(Duration.ofSeconds(5))));
                await().until(() -> time.pending() == 1);
                time.advance(Duration.ofSeconds(5).minusNanos(1));
                assertThat(actor.state()).isEqualTo(ActorState.BUSY);
                time.advance(Duration.ofNanos(1));
                var done = Waits.on(report);
                assertThat(done.forced()).isTrue();
                assertThat(done.stopped()).isTrue();
                assertThat(done.stuck()).isEmpty();
                assertThat(done.counters().undelivered()).isEqualTo(1);
                assertThat(gate).isNotNull();
            }
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.FORCED);
        }
    }

    @Promise("9.3")
    @EveryStrategy
    void aHandlerThatNoInterruptEndsIsReportedAsStuck(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var entered = new CountDownLatch(1);
        var end = new CompletableFuture<Void>();
        try (var scope = Scopes.on(strategy, recorder, time)) {
            var actor = actor(scope);
            Thread.startVirtualThread(() -> actor.execAsync(() -> {
                entered.countDown();
                end.join(); // hears no interrupt
            }));
            Waits.on(entered);
            var report = CompletableFuture.supplyAsync(() -> actor.stop(Duration.ofSeconds(5)));
            await().until(() -> time.pending() == 1);
            time.advance(Duration.ofSeconds(5));
            var stuck = Waits.on(report);
            assertThat(stuck.forced()).isTrue();
            assertThat(stuck.stopped()).isFalse();
            assertThat(stuck.stuck()).containsExactly("tom");
            end.complete(null);
            actor.waitForExit();
        }
    }

    @Promise("9.3")
    @EveryStrategy
    void theFirstReasonIsTheOneReported(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var failing = scope.named("failing").onFailure(FailurePolicy.stop()).newActor((Integer n) -> {
                throw new IllegalStateException();
            });
            try (var gate = Gate.in(failing)) {
                failing.sendMessage(1);
                failing.sendPoisonPill();
                gate.open();
            }
            failing.waitForExit();
            var asked = scope.named("asked").newActor((Integer n) -> {
            });
            try (var gate = Gate.in(asked)) {
                asked.askExit();
                asked.sendPoisonPill();
                asked.stop(Duration.ZERO);
                gate.open();
            }
            asked.waitForExit();
            assertThat(recorder.of(Stopped.class)).containsExactly(new Stopped("failing", Reason.FAILURE),
                    new Stopped("asked", Reason.EXIT));
        }
    }
}
