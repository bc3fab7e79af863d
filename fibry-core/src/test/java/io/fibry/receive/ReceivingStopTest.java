package io.fibry.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorExitException;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

class ReceivingStopTest {
    private final Recorder recorder = new Recorder();
    private final List<Object> got = new CopyOnWriteArrayList<>();

    @EveryStrategy
    void aPoisonPillEndsABodyAfterWhatWasQueued(Strategy strategy) {
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<Integer, Void> actor = scope.anonymous().newReceivingActor(context -> {
                while (true) {
                    got.add(context.receive());
                }
            });
            actor.sendMessage(1);
            actor.sendMessage(2);
            actor.sendPoisonPill();
            actor.waitForExit();
            assertThat(got).containsExactly(1, 2);
            assertThat(recorder.of(Failed.class)).as("leaving by ActorExitException is no failure").isEmpty();
            assertThat(recorder.only(Stopped.class).reason()).isEqualTo(Reason.POISON_PILL);
        }
    }

    @EveryStrategy
    void askExitEndsAWaitAndMayBeTidiedUpAfter(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var started = new CountDownLatch(1);
            Actor<Integer, Void> actor = scope.anonymous().newReceivingActor(context -> {
                started.countDown();
                try {
                    context.receive();
                } catch (ActorExitException e) {
                    got.add(context.exitRequested());
                    throw e;
                }
            });
            Waits.on(started);
            actor.askExit();
            actor.waitForExit();
            assertThat(got).containsExactly(true);
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @EveryStrategy
    void aForcedStopInterruptsWhatABodyDoes(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var started = new CountDownLatch(1);
            Actor<Integer, Void> actor = scope.anonymous().newReceivingActor(context -> {
                started.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    got.add("interrupted");
                    throw e;
                }
            });
            Waits.on(started);
            assertThat(actor.stop(Duration.ofMillis(50)).forced()).isTrue();
            actor.waitForExit();
            assertThat(got).containsExactly("interrupted");
        }
    }
}
