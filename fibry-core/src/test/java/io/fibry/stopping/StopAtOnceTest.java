package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.StopReport;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A stop whose deadline is zero. */
class StopAtOnceTest {
    private static final int ROUNDS = 100;

    private final Recorder recorder = new Recorder();

    private void assertReason(Reason... expected) {
        assertThat(recorder.of(Stopped.class)).extracting(Stopped::reason).containsOnly(expected);
    }

    @Promise("9.3")
    @EveryStrategy
    void anActorWithNothingToDoEndsOnTheSpot(Strategy strategy) {
        try (var scope = Scopes.on(strategy, recorder)) {
            for (int round = 0; round < ROUNDS; round++) {
                var actor = scope.anonymous().newActorWithReturn((Integer n) -> n);
                if (round % 2 == 1) {
                    assertThat(actor.apply(round)).isEqualTo(round);
                }
                var report = actor.stop(Duration.ZERO);
                assertThat(report.forced()).as("forced in round %s", round).isFalse();
                assertThat(report.stopped()).isTrue();
                assertThat(actor.stop(Duration.ZERO).forced()).as("once it has stopped").isFalse();
            }
        }
        assertReason(Reason.POISON_PILL);
    }

    @Promise("9.3")
    @EveryStrategy
    void soDoesOneWithABound(Strategy strategy) {
        try (var scope = Scopes.on(strategy, recorder)) {
            for (int round = 0; round < ROUNDS; round++) {
                var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(2, OverflowPolicy.reject()))
                        .newActorWithReturn((Integer n) -> n);
                assertThat(actor.apply(round)).isEqualTo(round);
                assertThat(actor.stop(Duration.ZERO)).matches(report -> !report.forced() && report.stopped());
            }
        }
        assertReason(Reason.POISON_PILL);
    }

    @Promise("9.3")
    @EveryStrategy
    void theHooksOfAnIdleActorAreNotInterrupted(Strategy strategy) throws Exception {
        var run = new AtomicInteger();
        var interrupted = new AtomicInteger();
        try (var scope = Scopes.on(strategy, recorder)) {
            for (int round = 0; round < ROUNDS; round++) {
                var actor = scope.anonymous().onExit(() -> {
                    for (int looks = 0; looks < 10; looks++) {
                        Thread.yield();
                        if (Thread.interrupted()) {
                            interrupted.incrementAndGet();
                        }
                    }
                    run.incrementAndGet();
                }).newActorWithReturn((Integer n) -> n);
                if (round % 2 == 1) {
                    actor.apply(round);
                }
                var report = Forced.stop(() -> actor.stop(Duration.ZERO));
                assertThat(report.forced()).as("forced in round %s", round).isTrue();
                assertThat(report.stopped()).isTrue();
                assertThat(run).hasValue(round + 1);
            }
        }
        assertThat(interrupted).hasValue(0);
        assertReason(Reason.FORCED);
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Promise("9.3")
    @EveryStrategy
    void aBusyOneIsInterruptedAndWhatIsQueuedUndelivered(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            for (int round = 0; round < ROUNDS; round++) {
                var actor = scope.anonymous().newActor((Integer n) -> {
                });
                try (var gate = Gate.in(actor)) {
                    actor.sendMessage(1);
                    actor.sendMessage(2);
                    var report = Forced.stop(() -> actor.stop(Duration.ZERO));
                    assertThat(report.forced()).isTrue();
                    assertThat(report.stopped()).as("stopped in round %s", round).isTrue();
                    assertThat(report.stuck()).isEmpty();
                    assertThat(report.counters().undelivered()).isEqualTo(2);
                    assertThat(report.counters().failed()).as("the one that was interrupted").isEqualTo(1);
                    assertThat(gate).isNotNull();
                }
            }
        }
        assertReason(Reason.FORCED);
    }

    @Promise("9.3")
    @EveryStrategy
    void oneThatNoInterruptReachesIsWaitedForASecondByTheSystemsClock(Strategy strategy) throws Exception {
        var entered = new CountDownLatch(1);
        var end = new CompletableFuture<Void>();
        var scope = Scopes.on(strategy, recorder, new ManualTime());
        var actor = scope.named("tom").newActor((Integer n) -> {
            entered.countDown();
            end.join();
        });
        var sender = Thread.startVirtualThread(() -> actor.sendMessage(1));
        Waits.on(entered);
        assertStuck(Waits.on(CompletableFuture.supplyAsync(() -> actor.stop(Duration.ZERO))));
        assertStuck(Waits.on(CompletableFuture.supplyAsync(() -> scope.stop(Duration.ZERO))));
        end.complete(null);
        Waits.on(sender);
        actor.waitForExit();
        assertThat(scope.stop(Duration.ZERO)).matches(report -> report.stopped() && !report.forced());
    }

    private static void assertStuck(StopReport report) {
        assertThat(report.forced()).isTrue();
        assertThat(report.stopped()).isFalse();
        assertThat(report.stuck()).containsExactly("tom");
        assertThat(report.stacks()).containsOnlyKeys("tom");
    }

    @Promise("9.3")
    @EveryStrategy
    void aScopeReportsTheSameEachTime(Strategy strategy) throws Exception {
        var run = new AtomicInteger();
        var interrupted = new AtomicInteger();
        for (int round = 0; round < ROUNDS; round++) {
            var idle = Scopes.on(strategy, recorder);
            idle.anonymous().newActorWithReturn((Integer n) -> n).apply(1);
            idle.child("inner").open().anonymous().newActorWithReturn((Integer n) -> n).apply(1);
            assertThat(idle.stop(Duration.ZERO)).matches(report -> report.stopped() && !report.forced());
            assertReason(Reason.POISON_PILL);

            var others = Scopes.on(strategy);
            others.closeOnExit(() -> hook(run, interrupted));
            others.child("inner").open().anonymous().onExit(() -> hook(run, interrupted))
                    .newActor((Integer n) -> {
                    });
            Actor<Integer, Void> busy = others.anonymous().newActor((Integer n) -> {
            });
            try (var gate = Gate.in(busy)) {
                busy.sendMessage(1);
                var report = Forced.stop(() -> others.stop(Duration.ZERO));
                assertThat(report.stopped()).as("stopped in round %s", round).isTrue();
                assertThat(report.forced()).isTrue();
                assertThat(busy.counters().undelivered()).isEqualTo(1);
                assertThat(gate).isNotNull();
            }
            assertThat(run).hasValue(2 * (round + 1));
        }
        assertThat(interrupted).hasValue(0);
    }

    private static void hook(AtomicInteger run, AtomicInteger interrupted) {
        Thread.yield();
        if (Thread.interrupted()) {
            interrupted.incrementAndGet();
        }
        run.incrementAndGet();
    }

    @Promise("9.3")
    @Test
    void aNegativeDeadlineIsRefused() {
        var negative = Duration.ofNanos(-1);
        try (var scope = ActorSystem.open("test")) {
            var actor = scope.anonymous().newActor((Integer n) -> {
            });
            var keyed = ActorSystem.anonymous().keyed((Integer n) -> n).newActorsFrom(key -> (context, n) -> {
            });
            for (var stop : List.<Runnable>of(() -> actor.stop(negative), () -> scope.stop(negative),
                    () -> keyed.stop(negative))) {
                assertThatThrownBy(stop::run).isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("deadline must not be negative: PT-0.000000001S");
            }
            assertThat(actor.state()).isEqualTo(ActorState.IDLE);
            keyed.close();
        }
    }
}
